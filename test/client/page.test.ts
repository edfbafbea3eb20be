import { describe, expect, test } from 'vitest';
import { loadPage, type PageQuery } from '../../lib/client/page.ts';
import { createTransport } from '../../lib/client/transport.ts';
import { encodeFrameHeader, MESSAGES_TYPE } from '../../lib/wire/frame.ts';
import { encodeRecords } from '../../lib/wire/record.ts';
import { createPromptTimer } from '../support/client-timers.ts';
import { joined } from '../support/publish-formats.ts';

const QUERY: PageQuery = {
  stream: 's',
  from: 5,
  streamId: undefined,
  onGap: 'continue',
  onFuture: 'clamp',
};

const frame = (base: number, count: number) => {
  const body = new Uint8Array(1);
  const records = encodeRecords(Array(count).fill({ body, contentType: 'text/plain' }));
  const position = { base, timestampMs: 7 };
  return joined(encodeFrameHeader({ count, records, position }), records);
};

const FACTS = {
  'content-type': MESSAGES_TYPE,
  'varve-next': '9',
  'varve-stream-id': 'id',
  'varve-resolved': '{"from":"5","offset":5,"why":"the offset asked for"}',
  'varve-up-to-date': 'true',
};

async function load(body: Uint8Array, facts: object = {}, query: Partial<PageQuery> = {}) {
  const transport = createTransport({
    url: 'http://127.0.0.1',
    fetch: async () =>
      new Response(new Uint8Array(body), { headers: Object.entries({ ...FACTS, ...facts }) }),
    headers: () => ({}),
    timeoutMs: 30_000,
    timer: createPromptTimer(),
  });
  const { signal } = new AbortController();
  const page = await loadPage(transport, { ...QUERY, ...query }, signal);
  const { messages, ...rest } = page;
  return { ...rest, offsets: [...messages].map(({ offset, timestamp }) => [offset, timestamp]) };
}

const whole = joined(frame(5, 3), frame(8, 1));

describe('a page', () => {
  test('O13 O15: tells its messages and where reading goes on', async () => {
    expect(await load(whole)).toEqual({
      start: 5,
      count: 4,
      next: 9,
      isUpToDate: true,
      streamId: 'id',
      offsets: [
        [5, 7],
        [6, 7],
        [7, 7],
        [8, 7],
      ],
    });
  });

  test('O5: behind a gap begins there', async () => {
    const gap = '{"requested":2,"first_available":5,"missing":3}';

    expect(await load(whole, { 'varve-gap': gap }, { from: 2 })).toMatchObject({
      start: 5,
      gap: { requested: 2, firstAvailable: 5, missing: 3 },
    });
  });

  test('O6: of a reader who asked for the future begins at the end', async () => {
    const facts = {
      'varve-next': '5',
      'varve-clamped': 'true',
    };

    expect(await load(new Uint8Array(), facts, { from: 99 })).toMatchObject({ start: 5, count: 0 });
  });

  test.each<[what: string, body: Uint8Array, facts: object]>([
    ['cut off in a frame', whole.slice(0, -1), {}],
    ['cut off between frames', frame(5, 3), {}],
    ['cut off before the first', new Uint8Array(), {}],
    ['without its beginning', frame(8, 1), {}],
    ['with a hole in it', joined(frame(5, 2), frame(8, 1)), {}],
    ['that leaves one out', joined(frame(5, 2), frame(8, 2)), {}],
    ['with a record that is none', joined(frame(5, 3), frame(8, 1).fill(0x7f, -14, -13)), {}],
    ['with a message twice', joined(frame(5, 3), frame(7, 2)), {}],
    ['from another place', frame(6, 3), { 'varve-resolved': '{"offset":6}' }],
    ['without a next', whole, { 'varve-next': '' }],
    ['with a next that is none', whole, { 'varve-next': '9.5' }],
    ['with a next beyond 2^53', whole, { 'varve-next': '99999999999999999' }],
    ['that is HTML', new TextEncoder().encode('<html>'), {}],
  ])('O13 O17: %s is refused, and may be asked for again', async (_what, body, facts) => {
    await expect(load(body, facts)).rejects.toMatchObject({
      code: 'bad_answer',
      retryable: true,
      sideEffects: 'none',
    });
  });
});
