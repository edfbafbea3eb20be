/** The contract of reads: which chunks a range gives, and which message a time means. */
import { describe, expect, test } from 'vitest';
import type { StoredChunk } from '../../lib/ports/log-store.ts';
import { at, batchOfSize, idOf, streamName } from '../support/batches.ts';
import {
  append,
  createStream,
  placeOf,
  publish,
  readAll,
  readRange,
  STREAM,
  STREAM_ID,
  type Subject,
} from './contract-steps.ts';

const MIB = 1024 * 1024;

export function describeReads({ ports, restart }: Subject): void {
  const read = (from: number, end: number, bytesMax = Number.MAX_SAFE_INTEGER) =>
    readRange(ports(), { from, end, bytesMax });
  const bases = (chunks: readonly StoredChunk[]) => chunks.map(({ base }) => base);

  /** Chunks [0, 10), [10, 20), [20, 30), of 100 bytes a message. */
  const publishThree = async () => {
    await createStream(ports());
    await publish(ports(), ...[0, 1, 2].map(() => append(batchOfSize(10, 100))));
  };

  describe('reads', () => {
    test.each([
      ['all of them', [0, 30], [0, 10, 20]],
      ['the whole chunk that holds from', [9, 30], [0, 10, 20]],
      ['none before from', [10, 30], [10, 20]],
      ['none at or above end', [0, 20], [0, 10]],
      ['the whole chunk that holds the last message before end', [0, 21], [0, 10, 20]],
      ['one for a range inside it', [13, 14], [10]],
      ['none at next', [30, 30], []],
      ['none beyond next', [31, 40], []],
    ] as const)('give %s', async (_what, [from, end], expected) => {
      await publishThree();

      expect(bases(await read(from, end))).toEqual(expected);
    });

    test.each([
      ['one chunk at least', { from: 0, bytesMax: 0 }, [0]],
      ['one chunk that is just enough', { from: 0, bytesMax: 1_000 }, [0]],
      ['one more for one more byte', { from: 0, bytesMax: 1_001 }, [0, 10]],
      ['only the part from the start on counts', { from: 5, bytesMax: 501 }, [0, 10]],
      ['a part that is just enough', { from: 5, bytesMax: 500 }, [0]],
      ['all when there is less', { from: 0, bytesMax: 9_999 }, [0, 10, 20]],
    ])('end when there are enough bytes: %s', async (_what, range, expected) => {
      await publishThree();

      expect(bases(await read(range.from, 30, range.bytesMax))).toEqual(expected);
    });

    test('P8: see what was committed when they begin, and the chunks of one commit apart', async () => {
      await createStream(ports());
      await ports().log.commit([append(['a']), append(['b', 'c']), append(['d'])]);

      expect((await readAll(ports())).map(placeOf)).toEqual([
        { base: 0, count: 1, timeMs: 1_000 },
        { base: 1, count: 2, timeMs: 1_000 },
        { base: 3, count: 1, timeMs: 1_000 },
      ]);
      expect(await ports().log.tail(STREAM)).toMatchObject({ first: 0, next: 4, lastChunk: 3 });
      expect(bases(await read(0, 1))).toEqual([0]);
      expect(bases(await read(1, 3))).toEqual([1]);
      expect(bases(await read(0, 4, 1))).toEqual([0]);
    });

    test('give the largest requests, several of them from one commit', async () => {
      await createStream(ports());
      const batches = [batchOfSize(4, MIB), batchOfSize(1, 1), batchOfSize(4_000, 1_000)];
      await ports().log.commit(batches.map((batch) => append(batch)));
      await restart();

      const chunks = await readAll(ports());
      expect(chunks.map(placeOf)).toEqual([
        { base: 0, count: 4, timeMs: 1_000 },
        { base: 4, count: 1, timeMs: 1_000 },
        { base: 5, count: 4_000, timeMs: 1_000 },
      ]);
      chunks.forEach(({ records }, index) => {
        expect(Buffer.compare(records, batches[index]?.records ?? Buffer.of())).toBe(0);
      });
      expect(bases(await read(2, 4_005, 1))).toEqual([0]);
      expect(bases(await read(4, 4_005, 2))).toEqual([4, 5]);
    });

    test('give nothing of what was trimmed or of a stream that is gone', async () => {
      await publishThree();
      await ports().log.trim(STREAM_ID, at(15));

      expect(await read(14, 30)).toEqual([]);
      expect(bases(await read(15, 30))).toEqual([10, 20]);
      await ports().catalog.remove(STREAM, STREAM_ID);
      expect(await read(15, 30)).toEqual([]);
      expect(await ports().log.tail(STREAM)).toBeUndefined();
    });

    test('keep streams apart', async () => {
      const names = ['a', 'b', 'c'].map(streamName);
      for (let round = 0; round < 3; round++) {
        await ports().log.commit(
          names.map((stream, n) => append([`${stream}${round}`], { stream, createAs: idOf(n) })),
        );
      }

      for (const n of [0, 1, 2]) {
        expect(bases(await readAll(ports(), idOf(n)))).toEqual([0, 1, 2]);
        expect(bases(await readAll(ports(), idOf(n), 2))).toEqual([2]);
      }
    });

    /** Chunks of two messages each at 1000, 2000, 2000 and 3000; first is 1. */
    test.each([
      ['before the first retained', 0, 1],
      ['equal to the first', 1_000, 1],
      ['between two', 1_001, 2],
      ['equal to several: the first of them', 2_000, 2],
      ['just behind several', 2_001, 6],
      ['equal to the newest', 3_000, 6],
      ['after the newest: next', 3_001, 8],
    ])('O8: find the first message of a time %s', async (_what, timeMs, expected) => {
      await createStream(ports());
      const times = [1_000, 2_000, 2_000, 3_000];
      await ports().log.commit(times.map((taken) => append(['a', 'b'], { timeMs: taken })));
      await ports().log.trim(STREAM_ID, at(1));

      const query = { streamId: STREAM_ID, first: at(1), next: at(8), timeMs };
      expect(await ports().log.findTime(query)).toBe(expected);
    });

    test('O8: find times among many commits, after a restart too', async () => {
      await createStream(ports());
      const appends = Array.from({ length: 50 }, (_, n) => append(['x'], { timeMs: 10 * n }));
      await publish(ports(), ...appends);
      await restart();

      for (let timeMs = 0; timeMs <= 500; timeMs += 5) {
        const query = { streamId: STREAM_ID, first: at(7), next: at(45), timeMs };
        const expected = Math.min(Math.max(Math.ceil(timeMs / 10), 7), 45);
        expect(await ports().log.findTime(query)).toBe(expected);
      }
    });

    test('O8: a stream that is empty or gone has no message of any time', async () => {
      const query = { streamId: STREAM_ID, first: at(3), next: at(3), timeMs: 1 };
      expect(await ports().log.findTime(query)).toBe(3);
      expect(await ports().log.findTime({ ...query, next: at(9) })).toBe(9);
    });
  });
}
