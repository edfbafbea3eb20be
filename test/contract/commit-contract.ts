/** The contract of commits: what is stored, what is refused, and what one commit does for many. */
import { describe, expect, test } from 'vitest';
import { at, batchOf, batchOfSize, idOf, streamName } from '../support/batches.ts';
import {
  append,
  bodiesOf,
  createStream,
  placeOf,
  publish,
  readAll,
  STREAM,
  STREAM_ID,
  type Subject,
} from './contract-steps.ts';

const OTHER = streamName('other');
const stored = (start: number, end: number, rest: object = {}) => ({
  kind: 'stored',
  streamId: STREAM_ID,
  start,
  end,
  timeMs: 1_000,
  duplicates: 0,
  opensSegment: start === 0,
  ...rest,
});

export function describeCommits({ ports, restart }: Subject): void {
  describe('commits', () => {
    test('P1: messages of one request are stored with consecutive offsets', async () => {
      await createStream(ports());

      expect(await publish(ports(), append(['a', 'b', 'c']), append(['d', 'e']))).toEqual([
        stored(0, 3),
        stored(3, 5),
      ]);
      expect((await readAll(ports())).map(placeOf)).toEqual([
        { base: 0, count: 3, timeMs: 1_000 },
        { base: 3, count: 2, timeMs: 1_000 },
      ]);
      expect(bodiesOf(await readAll(ports()))).toEqual(['a', 'b', 'c', 'd', 'e']);
    });

    test('P1: appends of one commit are decided one after the other, each for itself', async () => {
      await createStream(ports());
      const outcomes = await ports().log.commit([
        append(['a']),
        append(['x'], { stream: OTHER }),
        append(['y'], { stream: OTHER, createAs: idOf(2) }),
        append(['b'], { expectedOffset: 0 }),
        append(['c', 'd'], { expectedOffset: 1 }),
        append(['z'], { stream: OTHER }),
      ]);

      expect(outcomes).toEqual([
        stored(0, 1),
        { kind: 'reject', code: 'stream_not_found' },
        stored(0, 1, { streamId: idOf(2) }),
        { kind: 'reject', code: 'offset_mismatch', next: 1 },
        stored(1, 3),
        stored(1, 2, { streamId: idOf(2) }),
      ]);
      expect(bodiesOf(await readAll(ports()))).toEqual(['a', 'c', 'd']);
      expect(bodiesOf(await readAll(ports(), idOf(2)))).toEqual(['y', 'z']);
    });

    test('P1: a commit without appends has no outcomes', async () => {
      expect(await ports().log.commit([])).toEqual([]);
    });

    test('P1: the same append twice in one commit is two requests', async () => {
      await createStream(ports());
      const twice = append(['a']);

      expect(await ports().log.commit([twice, twice])).toEqual([stored(0, 1), stored(1, 2)]);
    });

    test('P2: what was acknowledged is there after a restart', async () => {
      await createStream(ports(), { segment_max_bytes: 10 });
      await publish(ports(), append(batchOfSize(3, 10)), append(['tail']));
      const [chunks, tail] = [await readAll(ports()), await ports().log.tail(STREAM)];
      await restart();

      expect(await ports().log.tail(STREAM)).toEqual(tail);
      expect(await readAll(ports())).toEqual(chunks);
      expect(await publish(ports(), append(['next']))).toEqual([stored(4, 5)]);
    });

    test.each([
      ['the next offset', 2, stored(2, 3)],
      ['one that is taken', 1, { kind: 'reject', code: 'offset_mismatch', next: 2 }],
      ['one that is still to come', 3, { kind: 'reject', code: 'offset_mismatch', next: 2 }],
      ['0, which is a value', 0, { kind: 'reject', code: 'offset_mismatch', next: 2 }],
    ])('P4: expects %s', async (_what, expectedOffset, outcome) => {
      await createStream(ports());
      await publish(ports(), append(['a', 'b']));

      expect(await publish(ports(), append(['c'], { expectedOffset }))).toEqual([outcome]);
    });

    test('P4: expects 0 on an empty stream', async () => {
      await createStream(ports());

      expect(await publish(ports(), append(['a'], { expectedOffset: 0 }))).toEqual([stored(0, 1)]);
    });

    test('P5: a token other than the stream has is refused, also when it has none', async () => {
      await createStream(ports());
      const fenced = { kind: 'reject', code: 'fenced' };
      expect(await publish(ports(), append(['a'], { fencingToken: 't' }))).toEqual([fenced]);

      expect(await ports().log.setFencingToken(STREAM_ID, 't')).toBe(true);
      expect(await publish(ports(), append(['a'], { fencingToken: 't' }))).toEqual([stored(0, 1)]);
      expect(await publish(ports(), append(['b']))).toEqual([stored(1, 2)]);
      await restart();
      expect(await publish(ports(), append(['c'], { fencingToken: 'u' }))).toEqual([fenced]);

      expect(await ports().log.setFencingToken(STREAM_ID, 'u')).toBe(true);
      expect(await publish(ports(), append(['c'], { fencingToken: 't' }))).toEqual([fenced]);
      expect(await ports().log.setFencingToken(STREAM_ID, undefined)).toBe(true);
      expect(await publish(ports(), append(['c'], { fencingToken: 'u' }))).toEqual([fenced]);
      expect(bodiesOf(await readAll(ports()))).toEqual(['a', 'b']);
    });

    test('P5: an unknown stream has no token to set', async () => {
      expect(await ports().log.setFencingToken(STREAM_ID, 't')).toBe(false);
    });

    test('P10: bytes come back unchanged', async () => {
      await createStream(ports());
      const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
      const batch = { ...batchOf(all, '', '\0', 'x'.repeat(1_048_576)), jsonChecked: true };
      await publish(ports(), append(batch));
      await restart();

      expect(await readAll(ports())).toEqual([{ ...batch, base: 0, timeMs: 1_000 }]);
    });

    test('P12: a stream is created by the first append that is stored', async () => {
      const createAs = STREAM_ID;
      const outcomes = await ports().log.commit([
        append(['a'], { createAs, expectedOffset: 7 }),
        append(['a'], { createAs, fencingToken: 't' }),
        append(['a'], { createAs, expectedOffset: 0 }),
        append(['b'], { createAs: idOf(9) }),
      ]);

      expect(outcomes).toEqual([
        { kind: 'reject', code: 'offset_mismatch', next: 0 },
        { kind: 'reject', code: 'fenced' },
        stored(0, 1),
        stored(1, 2),
      ]);
      expect(await ports().catalog.load(STREAM)).toEqual({
        name: STREAM,
        streamId: STREAM_ID,
        settings: {},
        revision: 1,
        createdMs: 1_000,
      });
    });

    test('P12: a refused append creates nothing', async () => {
      await publish(ports(), append(['a'], { createAs: STREAM_ID, expectedOffset: 7 }));

      expect(await ports().log.tail(STREAM)).toBeUndefined();
      expect(await ports().catalog.load(STREAM)).toBeUndefined();
      expect(await createStream(ports())).toBe(true);
    });

    test('O18: timestamps never decrease, whatever the clock says', async () => {
      await createStream(ports());
      const times = [2_000, 1_500, 0, 2_001];
      await publish(ports(), ...times.map((timeMs) => append(['a'], { timeMs })));

      const chunks = await readAll(ports());
      expect(chunks.map(({ timeMs }) => timeMs)).toEqual([2_000, 2_000, 2_000, 2_001]);
    });

    test('T6: a segment that is full or old is followed by the next', async () => {
      await createStream(ports(), { segment_max_bytes: 1_000, segment_max_age: 60_000 });
      const opens = async (bytes: number, timeMs: number) => {
        const [outcome] = await publish(ports(), append(batchOfSize(1, bytes), { timeMs }));
        return outcome?.kind === 'stored' && outcome.opensSegment;
      };

      expect(await opens(400, 1_000)).toBe(true);
      expect(await opens(400, 1_000)).toBe(false);
      expect(await opens(400, 1_000)).toBe(false);
      expect(await opens(5_000, 1_000)).toBe(true);
      await restart();
      expect(await opens(1, 1_000)).toBe(true);
      expect(await opens(1, 61_000)).toBe(false);
      expect(await opens(1, 61_001)).toBe(true);
      expect((await ports().log.tail(STREAM))?.segment).toEqual({
        first: 6,
        bytesBefore: 6_202,
        firstTimeMs: 61_001,
      });
    });

    test('T6: one commit may open several segments', async () => {
      await createStream(ports(), { segment_max_bytes: 100 });
      await ports().log.commit([1, 2, 3, 4].map(() => append(batchOfSize(2, 50))));

      expect((await readAll(ports())).map(({ base }) => base)).toEqual([0, 2, 4, 6]);
      await ports().log.trim(STREAM_ID, at(5));
      expect(await ports().log.usage(STREAM_ID)).toMatchObject({
        segments: 2,
        bytes: 200,
        oldestMs: 1_000,
      });
    });
  });
}
