import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  encodeDone,
  encodeErrorEvent,
  encodeEvent,
  parseEventId,
} from '../../../lib/http/render/event-stream.ts';
import { at, batchOf } from '../../support/batches.ts';

const progress = fc.record({
  covered: fc.integer({ min: -1, max: Number.MAX_SAFE_INTEGER - 1 }),
  count: fc.maxSafeNat(),
  bytes: fc.maxSafeNat(),
});
const START = { covered: -1, count: 0, bytes: 0 };

function text(event: Uint8Array | readonly Uint8Array[]): string {
  return Buffer.concat(event instanceof Uint8Array ? [event] : event).toString('utf8');
}

test('LR3: the id of any event is read back as what it says', () => {
  fc.assert(
    fc.property(progress, (reached) => {
      const events = [
        encodeEvent({ kind: 'ping', next: at(1), tail: at(1), progress: reached }, false),
        encodeErrorEvent(reached, {}),
        encodeDone(reached),
      ];
      const ids = events.map((event) => /^id: (.*)$/m.exec(text(event))?.[1] ?? '');

      expect(ids.map(parseEventId)).toEqual([reached, reached, reached]);
    }),
  );
});

test.each([
  ['-1,0,0', START],
  ['9,10,50', { covered: 9, count: 10, bytes: 50 }],
  [' 9,10,50 ', { covered: 9, count: 10, bytes: 50 }],
  ['007,0,0', { covered: 7, count: 0, bytes: 0 }],
  ['9007199254740990,0,0', { covered: Number.MAX_SAFE_INTEGER - 1, count: 0, bytes: 0 }],
])('LR3: %j is an id', (id, reached) => {
  expect(parseEventId(id)).toEqual(reached);
});

test.each([
  ...['', ',', ',,', '1', '1,2', '1,2,', ',1,2', '1,2,3,4', 'a,b,c', '1,2,3x', '1;2;3', '1, 2,3'],
  ...['-2,0,0', '--1,0,0', '-0,0,0', '1,-1,0', '1,0,-1', '+1,0,0', '1.0,0,0', '1e3,0,0', '0x1,0,0'],
  // What follows the last offset of all would be none.
  ...['9007199254740991,0,0', '9007199254740992,0,0', '0,9007199254740992,0', '٣,0,0'],
  '1'.repeat(400),
])('LR3: %j is none', (id) => {
  expect(parseEventId(id)).toBeUndefined();
});

test('LR3: a batch is one event of one line of data', () => {
  const chunk = { ...batchOf('a', 'b\nc', 'ä'), base: at(7), timeMs: 5 };
  const event = encodeEvent(
    {
      kind: 'batch',
      chunks: [chunk],
      next: at(10),
      tail: at(12),
      progress: { covered: 9, count: 3, bytes: 6 },
    },
    false,
  );

  expect(text(event)).toBe(
    'id: 9,3,6\nevent: batch\ndata: {"messages":[' +
      '{"offset":7,"timestamp":5,"text":"a"},' +
      '{"offset":8,"timestamp":5,"base64":"Ygpj","content_type":"text/plain; charset=utf-8"},' +
      '{"offset":9,"timestamp":5,"text":"ä"}' +
      '],"next":10,"tail":12}\n\n',
  );
});

test('LR3: ping, gap, error and the end', () => {
  const ping = encodeEvent({ kind: 'ping', next: at(3), tail: at(3), progress: START }, false);
  const gap = { requested: 2, firstAvailable: at(5), missing: 3 };
  const told = encodeEvent({ kind: 'gap', gap, progress: { ...START, covered: 4 } }, false);

  expect(text(ping)).toBe('id: -1,0,0\nevent: ping\ndata: {"next":3,"tail":3}\n\n');
  expect(text(told)).toBe(
    'id: 4,0,0\nevent: gap\ndata: {"requested":2,"first_available":5,"missing":3}\n\n',
  );
  expect(text(encodeErrorEvent(START, { detail: 'a\nb' }))).toBe(
    'id: -1,0,0\nevent: error\ndata: {"detail":"a\\nb"}\n\n',
  );
  expect(text(encodeDone(START))).toBe('id: -1,0,0\ndata: [DONE]\n\n');
});

test('LR3: a large batch is the same event in pieces, shared by all who are given it', () => {
  const chunk = { ...batchOf('x'.repeat(40_000)), base: at(0), timeMs: 5 };
  const event = {
    kind: 'batch',
    chunks: [chunk],
    next: at(1),
    tail: at(1),
    progress: { covered: 0, count: 1, bytes: 40_000 },
  } as const;
  const [first, second] = [encodeEvent(event, false), encodeEvent(event, false)];

  expect(text(first)).toBe(
    `id: 0,1,40000\nevent: batch\ndata: {"messages":[{"offset":0,"timestamp":5,"text":"${'x'.repeat(40_000)}"}],"next":1,"tail":1}\n\n`,
  );
  expect(first).toHaveLength(3);
  expect(second[1]).toBe(first[1]);
  expect(text(encodeEvent(event, true))).toContain('"base64":"eHh4');
});
