/** The contract of trims and deletions: gone at once, exactly so much, and for good. */
import { describe, expect, test } from 'vitest';
import { at, batchOfSize, idOf, publisherName } from '../support/batches.ts';
import {
  append,
  bodiesOf,
  createStream,
  publish,
  readAll,
  STREAM,
  STREAM_ID,
  type Subject,
} from './contract-steps.ts';

export function describeRemoval({ ports, restart }: Subject): void {
  const trim = (before: number | 'next') =>
    ports().log.trim(STREAM_ID, before === 'next' ? before : at(before));

  /** Segments [0, 20), [20, 40), [40, 50), of 10 messages of 100 bytes a chunk. */
  const publishSegments = async () => {
    await createStream(ports(), { segment_max_bytes: 2_000 });
    await publish(
      ports(),
      ...[0, 1, 2, 3, 4].map((n) => append(batchOfSize(10, 100), { timeMs: 1_000 + n })),
    );
  };

  describe('removal', () => {
    test('T11: a trim moves first at once and exactly, never down and never beyond next', async () => {
      await publishSegments();

      expect(await trim(37)).toEqual({ kind: 'trimmed', first: 37, dropped: 37 });
      expect(await trim(10)).toEqual({ kind: 'trimmed', first: 37, dropped: 0 });
      expect(await trim(51)).toEqual({ kind: 'beyond', next: 50 });
      await restart();
      expect(await ports().log.tail(STREAM)).toMatchObject({ first: 37, next: 50, lastChunk: 40 });
      expect(await trim(38)).toEqual({ kind: 'trimmed', first: 38, dropped: 1 });
    });

    test('T11: the part that is kept stays readable while the rest goes', async () => {
      await publishSegments();
      for (const first of [5, 20, 21, 39, 40, 49]) {
        await trim(first);

        expect((await readAll(ports(), STREAM_ID, first))[0]?.base).toBe(first - (first % 10));
      }
      expect(await readAll(ports(), STREAM_ID, 48)).toEqual([]);
    });

    test('T11: usage counts whole segments that hold a retained message', async () => {
      const usage = async () => {
        const { oldest: _, ...sums } = await ports().log.usage(STREAM_ID);
        return sums;
      };
      expect(await usage()).toEqual({ segments: 0, bytes: 0 });
      await publishSegments();

      expect(await usage()).toMatchObject({ segments: 3, bytes: 5_000, oldestMs: 1_000 });
      await trim(19);
      expect(await usage()).toMatchObject({ segments: 3, bytes: 5_000, oldestMs: 1_001 });
      await trim(20);
      expect(await usage()).toMatchObject({ segments: 2, bytes: 3_000, oldestMs: 1_002 });
      await restart();
      await trim(49);
      expect(await usage()).toMatchObject({ segments: 1, bytes: 1_000, oldestMs: 1_004 });
      await trim(50);
      expect(await usage()).toEqual({ segments: 0, bytes: 0 });
    });

    test('T12: a purge is a trim to next; offsets go on', async () => {
      await publishSegments();

      expect(await trim('next')).toEqual({ kind: 'trimmed', first: 50, dropped: 50 });
      expect(await trim('next')).toEqual({ kind: 'trimmed', first: 50, dropped: 0 });
      expect(await readAll(ports(), STREAM_ID, 50)).toEqual([]);
      await restart();
      expect(await publish(ports(), append(['x']))).toMatchObject([{ start: 50, end: 51 }]);
      expect(bodiesOf(await readAll(ports(), STREAM_ID, 50))).toEqual(['x']);
    });

    test('T12: an empty stream has nothing to purge, an unknown one no answer', async () => {
      expect(await trim('next')).toBeUndefined();
      await createStream(ports());

      expect(await trim('next')).toEqual({ kind: 'trimmed', first: 0, dropped: 0 });
      expect(await trim(0)).toEqual({ kind: 'trimmed', first: 0, dropped: 0 });
      expect(await trim(1)).toEqual({ kind: 'beyond', next: 0 });
    });

    test('T13: a stream created again has none of the old state', async () => {
      await publishSegments();
      const publisher = { name: publisherName('p'), ids: [7], epoch: 4 };
      await publish(ports(), append(['x'], { publisher }));
      await ports().log.setFencingToken(STREAM_ID, 't');
      await trim(30);

      expect(await ports().catalog.remove(STREAM, STREAM_ID)).toBe(true);
      const entry = { name: STREAM, streamId: idOf(2), settings: {}, createdMs: 5 };
      expect(await ports().catalog.create(entry)).toBe(true);
      await restart();

      expect(await ports().log.tail(STREAM)).toEqual({
        streamId: idOf(2),
        settings: {},
        revision: 1,
        first: 0,
        next: 0,
        lastChunk: 0,
        timeMs: 0,
        bytes: 0,
      });
      expect(await ports().log.listPublishers(idOf(2), everything)).toEqual([]);
      const again = append(['y'], { publisher: { ...publisher, epoch: 1, ids: [1] } });
      expect(await publish(ports(), again)).toMatchObject([{ kind: 'stored', start: 0 }]);
      expect(bodiesOf(await readAll(ports(), idOf(2)))).toEqual(['y']);
    });

    test('T13: the old incarnation answers nobody any more', async () => {
      await publishSegments();
      const publisher = { name: publisherName('p'), ids: [7] };
      await publish(ports(), append(['x'], { publisher }));
      await ports().catalog.remove(STREAM, STREAM_ID);
      await publish(ports(), append(['y'], { createAs: idOf(2) }));

      expect(await readAll(ports())).toEqual([]);
      expect(await ports().log.usage(STREAM_ID)).toEqual({ segments: 0, bytes: 0 });
      expect(await ports().log.publisher(STREAM_ID, publisher.name)).toBeUndefined();
      expect(await ports().log.listPublishers(STREAM_ID, everything)).toEqual([]);
      expect(await trim('next')).toBeUndefined();
      expect(await ports().log.setFencingToken(STREAM_ID, 't')).toBe(false);
      expect(await ports().catalog.saveSettings(STREAM_ID, { settings: {}, expected: 1 })).toBe(
        false,
      );
      expect(await ports().catalog.remove(STREAM, STREAM_ID)).toBe(false);
      expect(bodiesOf(await readAll(ports(), idOf(2)))).toEqual(['y']);
    });
  });
}

const everything = { prefix: '', startAfter: '', limit: 100 };
