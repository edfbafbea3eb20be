import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ClientError } from '../../lib/client/client-error.ts';
import {
  type BatchEntry,
  batchCount,
  culprit,
  encodeBatch,
  outcomes,
  parsePublishAnswer,
} from '../../lib/client/publish-batch.ts';
import { decodeFrames } from '../../lib/wire/frame.ts';
import { REQUEST_BYTES_MAX } from '../../lib/wire/request-limits.ts';

const entriesOf = (sizes: readonly number[], ids?: readonly number[]): BatchEntry[] =>
  sizes.map((size, index) => {
    const id = ids?.[index];
    return { record: new Uint8Array(size), ...(id !== undefined && { id }) };
  });

describe('a batch', () => {
  test('P6: is as large as a request may be, and no larger', () => {
    const size = fc.oneof(fc.nat(100), fc.nat(1_100_000));
    fc.assert(
      fc.property(
        fc.array(size, { minLength: 1 }),
        fc.integer({ min: 1, max: 9 }),
        (sizes, max) => {
          const entries = entriesOf(
            sizes,
            sizes.map((_, index) => 2 ** 52 + index * 2 ** 46),
          );
          const count = batchCount(entries, max);

          expect(count).toBeGreaterThanOrEqual(1);
          expect(count).toBeLessThanOrEqual(max);
          const { body } = encodeBatch(entries.slice(0, count));
          expect(body.length).toBeLessThanOrEqual(REQUEST_BYTES_MAX);
          if (count === sizes.length || count === max) return;
          const room = REQUEST_BYTES_MAX - body.length;
          expect(sizes[count]).toBeGreaterThan(room - 200);
        },
      ),
      { numRuns: 30 },
    );
  });

  test('D4: carries an id for each message of a named publisher, and none else', () => {
    const [named] = decodeFrames(encodeBatch(entriesOf([3, 4], [7, 9])).body);
    const [unnamed] = decodeFrames(encodeBatch(entriesOf([3, 4])).body);

    expect(named).toEqual({ count: 2, records: new Uint8Array(7), publishingIds: [7, 9] });
    expect(unnamed).toEqual({ count: 2, records: new Uint8Array(7) });
  });
});

describe('an answer means for each message', () => {
  const stored = (offset: number) => ({ outcome: 'stored', offset });
  const duplicate = (offset?: number) => ({ outcome: 'duplicate', offset });

  test.each([
    [
      'all are stored',
      { start: 5, end: 8, stored: 3, duplicates: 0 },
      [stored(5), stored(6), stored(7)],
    ],
    [
      'D4: the first were known',
      { start: 5, end: 6, stored: 1, duplicates: 2 },
      [duplicate(), duplicate(), stored(5)],
    ],
    [
      'D5: all were the latest request',
      { start: 5, end: 8, stored: 0, duplicates: 3 },
      [duplicate(5), duplicate(6), duplicate(7)],
    ],
    [
      'D5 M7: the latest request had stored some of them',
      { start: 5, end: 6, stored: 0, duplicates: 3 },
      [duplicate(), duplicate(), duplicate()],
    ],
    [
      'M7: one in the middle was known by its value',
      { start: 5, end: 7, stored: 2, duplicates: 1, deduplicated: [1] },
      [stored(5), duplicate(), stored(6)],
    ],
    [
      'D4 M7: the first was known by its id, the last by its value',
      { start: 5, end: 6, stored: 1, duplicates: 2, deduplicated: [2] },
      [duplicate(), stored(5), duplicate()],
    ],
    [
      'D5: all were known',
      { start: null, end: null, stored: 0, duplicates: 3 },
      [duplicate(), duplicate(), duplicate()],
    ],
  ])('%s', (_what, answer, expected) => {
    const given = outcomes(entriesOf([1, 1, 1]), {
      deduplicated: [],
      held: new Map(),
      ...answer,
      streamId: 'x',
    });

    expect(given.map(({ outcome, offset }) => ({ outcome, offset }))).toEqual(expected);
  });

  test.each([
    ['nothing', ''],
    ['no object', '7'],
    ['another count', '{"start":0,"end":2,"stored":2,"duplicates":0}'],
    ['an offset that is none', '{"start":"0","end":3,"stored":3,"duplicates":0}'],
  ])('nothing, when it is %s', (_what, text) => {
    expect(() => parsePublishAnswer(new TextEncoder().encode(text), 3)).toThrow(ClientError);
  });
});

test.each([
  ['messages[2]', 2],
  ['messages[0].headers.CC', 0],
  ['line 1', 0],
  ['line 3.delay_ms', 2],
  ['line 4.key', undefined],
  ['messages[3]', undefined],
  ['messages', undefined],
  ['publisher', undefined],
  [7, undefined],
])('P6: the one at fault in %s is %s of three', (field, index) => {
  expect(culprit(new ClientError('', { code: 'x', details: { field } }), 3)).toBe(index);
});
