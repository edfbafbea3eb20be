/** The contract of retention: which segments go, when, and that nothing else does. */
import { describe, expect, test } from 'vitest';
import type { StreamSettings } from '../../lib/core/log/settings.ts';
import type { SegmentEntry } from '../../lib/ports/log-store.ts';
import { at, batchOfSize, idOf } from '../support/batches.ts';
import {
  append,
  bodiesOf,
  createStream,
  publish,
  readAll,
  readRange,
  STREAM,
  STREAM_ID,
  type Subject,
} from './contract-steps.ts';

const NOON = 36_000_000;

export function describeRetention({ ports, restart }: Subject): void {
  const first = async () => (await ports().log.tail(STREAM))?.first;
  const retain = async (nowMs: number) => (await ports().log.retain(STREAM_ID, nowMs))?.first;

  /** Settings of a stream whose segments were opened by those that it had before. */
  const change = async (settings: StreamSettings) => {
    const { revision } = (await ports().catalog.load(STREAM)) ?? { revision: 0 };
    expect(await ports().catalog.saveSettings(STREAM_ID, { settings, expected: revision })).toBe(
      true,
    );
  };

  /** Each a segment of its own, of as many messages of this many bytes, all of one time. */
  const publishSegments = async (
    counts: readonly number[],
    { bytes = 10, timeMs = 1_000 }: { readonly bytes?: number; readonly timeMs?: number } = {},
  ) => {
    await createStream(ports(), { segment_max_bytes: 1 });
    const appends = counts.map((count) => append(batchOfSize(count, bytes), { timeMs }));
    expect(await publish(ports(), ...appends)).toMatchObject(
      counts.map(() => ({ kind: 'stored', opensSegment: true })),
    );
  };

  /** One message each, all in one commit or each in its own. */
  const messages = (count: number, bytes: number) =>
    Array.from({ length: count }, () => append(batchOfSize(1, bytes)));

  describe('retention', () => {
    test('T3 T5: what remains must still reach the length', async () => {
      await publishSegments([1_000, 99]);

      await change({ max_length: 100 });
      expect(await retain(2_000)).toBe(0);
      await change({ max_length: 99 });
      expect(await ports().log.retain(STREAM_ID, 2_000)).toEqual({ first: 1_000, dropped: 1_000 });
      expect(await retain(2_000)).toBe(1_000);
      await restart();
      expect(await first()).toBe(1_000);
    });

    test('T2 T3: the active segment stays whatever the limits', async () => {
      await publishSegments([1_000]);
      await change({ max_length: 0, max_length_bytes: 0, max_age: 1 });

      expect(await retain(NOON)).toBe(0);
      expect(await readAll(ports())).toHaveLength(1);
    });

    test.each([
      [100, 400],
      [101, 300],
      [200, 300],
      [500, 0],
      [1_000, 0],
    ])(
      'T3 T5: of five segments of 100, max_length %i leaves those from %i on',
      async (max_length, expected) => {
        await publishSegments([100, 100, 100, 100, 100]);
        await change({ max_length });

        expect(await retain(2_000)).toBe(expected);
      },
    );

    test.each([
      ['max_length 0', { max_length: 0 }, 2],
      ['max_length 1', { max_length: 1 }, 2],
      ['max_length_bytes 1', { max_length_bytes: 1 }, 2],
      ['max_length 2', { max_length: 2 }, 1],
    ])(
      'T2 T3: of three segments of one message, %s keeps the last ones',
      async (_what, settings, expected) => {
        await publishSegments([1, 1, 1]);
        await change(settings);

        expect(await retain(2_000)).toBe(expected);
        expect((await readAll(ports(), STREAM_ID, 2)).map(({ base }) => base)).toEqual([2]);
      },
    );

    test.each([
      [2_400, 20],
      [2_401, 10],
      [4_400, 0],
    ])(
      'T3: max_length_bytes %i counts whole segments of 1000 bytes',
      async (max_length_bytes, expected) => {
        await publishSegments([10, 10, 10, 10, 4], { bytes: 100 });
        await change({ max_length_bytes });

        expect(await retain(2_000)).toBe(expected);
      },
    );

    test('T4: a segment goes when its last message has reached the age, to the millisecond', async () => {
      await createStream(ports(), {
        segment_max_bytes: 20,
        max_age: 60_000,
        segment_max_age: NOON,
      });
      const times = [NOON - 3_600_000, NOON, NOON + 1];
      await publish(ports(), ...times.map((timeMs) => append(batchOfSize(1, 10), { timeMs })));

      expect(await retain(NOON + 59_999)).toBe(0);
      expect(bodiesOf(await readAll(ports()))).toHaveLength(3);
      expect(await retain(NOON + 60_000)).toBe(2);
    });

    test('T2: messages of any age stay in the active segment', async () => {
      await createStream(ports(), { max_age: 1_000 });
      await publish(ports(), append(batchOfSize(10, 10), { timeMs: 1 }));

      expect(await retain(NOON)).toBe(0);
      expect(await ports().log.usage(STREAM_ID)).toMatchObject({
        segments: 1,
        oldest: { first: 0, end: 10, state: 'active', lastTimeMs: 1 },
      });
    });

    test('T4 T6: a small stream with an age shrinks once someone publishes', async () => {
      await createStream(ports(), { max_age: 10_000 });
      await publish(ports(), append(batchOfSize(10, 10), { timeMs: NOON }));

      const [outcome] = await publish(ports(), append(['x'], { timeMs: NOON + 20_000 }));
      expect(outcome).toMatchObject({ opensSegment: true, start: 10 });
      expect(await ports().log.tail(STREAM)).toMatchObject({ first: 10, next: 11 });
      expect(await readAll(ports(), STREAM_ID, 9)).toEqual([]);
    });

    test.each([
      ['a commit', () => publish(ports(), append(['x']))],
      ['a change of settings', () => retain(2_000)],
    ])('P8 T5: what %s dropped is given to nobody any more', async (what, drop) => {
      await publishSegments([1, 1, 1]);
      const chunks = () => readRange(ports(), { from: 0, end: 3, bytesMax: 1e9 });
      expect(await chunks()).toHaveLength(3);
      await change({ max_length: 1, ...(what === 'a commit' && { segment_max_bytes: 1 }) });
      expect(await chunks()).toHaveLength(3);
      await drop();

      expect(await chunks()).toEqual([]);
    });

    test('T6: segments follow on one another, whatever the requests', async () => {
      await createStream(ports(), { segment_max_bytes: 1_000 });
      const sizes = [400, 400, 400, 5_000, 400];
      await publish(ports(), ...sizes.map((bytes) => append(batchOfSize(1, bytes))));

      expect(await segments()).toMatchObject([
        { first: 0, end: 3, state: 'sealed', bytes: 1_200, bytesThrough: 1_200 },
        { first: 3, end: 4, state: 'sealed', bytes: 5_000, bytesThrough: 6_200 },
        { first: 4, end: 5, state: 'active', bytes: 400, bytesThrough: 6_600 },
      ]);
    });

    test('T7: nothing goes before its time, after a restart neither', async () => {
      await publishSegments([1, 1, 1], { timeMs: NOON });
      await change({ max_age: 3_600_000 });
      await restart();

      expect(await retain(NOON + 600_000)).toBe(0);
      expect(await segments()).toHaveLength(3);
    });

    test('T1: several limits combine: any of them drops', async () => {
      await publishSegments([100, 100, 100]);
      await change({ max_length: 1_000, max_length_bytes: 1_000_000, max_age: 1_000 });
      expect(await retain(1_999)).toBe(0);
      expect(await retain(2_000)).toBe(200);
    });

    test('T1: limits drop in turn, each as far as it goes', async () => {
      await publishSegments([100, 100, 100, 100]);
      await change({ max_length: 300, max_length_bytes: 2_000 });

      expect(await retain(1_000)).toBe(200);
    });

    test('T5 T6: a changed segment_max_bytes governs the next opening, not what is there', async () => {
      await publishSegments([1, 1]);
      await change({ segment_max_bytes: 50 });
      const [stays, opens] = await publish(
        ports(),
        append(batchOfSize(4, 10)),
        append(batchOfSize(1, 10)),
      );

      expect([stays, opens]).toMatchObject([{ opensSegment: false }, { opensSegment: true }]);
      expect((await segments()).map(({ first: from }) => from)).toEqual([0, 1, 6]);
    });

    test('T5: what was dropped stays dropped when the limit is taken back', async () => {
      await publishSegments([100, 100, 100, 100, 100]);
      await change({ max_length: 100 });
      expect(await retain(2_000)).toBe(400);
      await change({ max_length: 400 });

      expect(await retain(2_000)).toBe(400);
      expect(await readAll(ports(), STREAM_ID, 399)).toEqual([]);
      expect(await ports().log.usage(STREAM_ID)).toMatchObject({ segments: 1, bytes: 1_000 });
    });

    test.each([
      ['one by one', false],
      ['in commits of 50', true],
    ])('T3 T5: a stream under publishing stays near its limit: %s', async (_what, isGrouped) => {
      await createStream(ports(), { max_length_bytes: 10_000, segment_max_bytes: 1_000 });
      const all = messages(500, 100);
      if (isGrouped) {
        for (let n = 0; n < all.length; n += 50) await ports().log.commit(all.slice(n, n + 50));
      } else await publish(ports(), ...all);

      const state = await ports().log.tail(STREAM);
      expect(state).toMatchObject({ first: 390, next: 500 });
      expect(await readAll(ports(), STREAM_ID, 390)).toHaveLength(110);
    });

    test('T5 P1: a group of appends drops what they would have dropped one by one', async () => {
      await createStream(ports(), { segment_max_bytes: 10, max_age: 100, segment_max_age: NOON });
      const times = [1_000, 1_000, 1_050, 1_150, 1_150, 9_000];
      await ports().log.commit(times.map((timeMs) => append(batchOfSize(1, 5), { timeMs })));

      // The last one opens no segment, so nobody looks at its time.
      expect(await ports().log.tail(STREAM)).toMatchObject({ first: 2, next: 6 });
    });

    test('T11: a trim inside a segment holds retention up no more than it drops', async () => {
      await publishSegments([100, 100, 100]);
      await ports().log.trim(STREAM_ID, at(150));
      await change({ max_length: 150 });

      expect(await ports().log.retain(STREAM_ID, 2_000)).toEqual({ first: 150, dropped: 0 });
      await change({ max_length: 100 });
      expect(await ports().log.retain(STREAM_ID, 2_000)).toEqual({ first: 200, dropped: 50 });
    });

    test('T13: a stream that is gone has nothing to retain, and no segments', async () => {
      expect(await ports().log.retain(STREAM_ID, NOON)).toBeUndefined();
      expect(await segments()).toEqual([]);
      await publishSegments([1, 1]);
      await ports().catalog.remove(STREAM, STREAM_ID);

      expect(await ports().log.retain(STREAM_ID, NOON)).toBeUndefined();
      expect(await segments()).toEqual([]);
      expect(await ports().log.retain(idOf(2), NOON)).toBeUndefined();
    });
  });

  describe('segments', () => {
    test('T2: are those that hold a retained message, in pages', async () => {
      await publishSegments([10, 10, 10, 10]);
      await ports().log.trim(STREAM_ID, at(15));
      const bounds = async (from: number, limit: number) =>
        (await segments(from, limit)).map((segment) => [segment.first, segment.end]);

      expect(await bounds(0, 100)).toEqual([
        [10, 20],
        [20, 30],
        [30, 40],
      ]);
      expect(await bounds(0, 2)).toEqual([
        [10, 20],
        [20, 30],
      ]);
      expect(await bounds(20, 1)).toEqual([[20, 30]]);
      expect(await bounds(29, 100)).toEqual([
        [20, 30],
        [30, 40],
      ]);
      expect(await bounds(39, 100)).toEqual([[30, 40]]);
      expect(await bounds(40, 100)).toEqual([]);
    });

    test('T12: of a purged stream there are none, and then again the active one', async () => {
      await publishSegments([10, 10]);
      await ports().log.trim(STREAM_ID, 'next');
      expect(await segments()).toEqual([]);
      await change({ segment_max_bytes: 1_000 });
      await publish(ports(), append(batchOfSize(1, 10), { timeMs: 7_000 }));

      expect(await segments()).toEqual([
        {
          first: 10,
          end: 21,
          state: 'active',
          bytes: 110,
          bytesThrough: 210,
          lastTimeMs: 7_000,
          objects: [],
        },
      ]);
    });
  });

  async function segments(from = 0, limit = 100): Promise<readonly SegmentEntry[]> {
    return await ports().log.segments({ streamId: STREAM_ID, from: at(from), limit });
  }
}
