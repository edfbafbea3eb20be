/** The contract of messages that are due: each released once, never early, in order, where its target is. */
import { describe, expect, test } from 'vitest';
import { at, idOf, streamName } from '../support/batches.ts';
import {
  append,
  createStream,
  publish,
  readAll,
  STREAM,
  STREAM_ID,
  type Subject,
} from './contract-steps.ts';
import { heldIdOf, releaseAt, several, TARGET, timersOf } from './timer-steps.ts';

const NONE = { unroutable: 0, target_deleted: 0 };

export function describeReleases({ ports, restart, maintain }: Subject): void {
  const { hold, bodies, listed } = timersOf(ports);

  describe('messages that are due', () => {
    test('L4: are released when they are due, in the order in which they are', async () => {
      await createStream(ports());
      await hold([
        { body: 'e500', dueMs: 1_500 },
        { body: 'b100', dueMs: 1_100 },
        { body: 'd300', dueMs: 1_300 },
      ]);
      await hold([{ body: 'c200', dueMs: 1_200 }]);
      await hold([{ body: 'b100 too', dueMs: 1_100 }]);

      expect(await releaseAt(ports(), 1_099)).toMatchObject({
        released: 0,
        failed: 0,
        overdueMs: 0,
        nextDueMs: 1_100,
        told: [],
      });
      expect(await bodies()).toEqual([]);
      expect(await releaseAt(ports(), 1_300)).toMatchObject({ released: 4, nextDueMs: 1_500 });
      expect(await bodies()).toEqual(['b100', 'b100 too', 'c200', 'd300']);
      expect(await releaseAt(ports(), 9_000)).not.toHaveProperty('nextDueMs');
      expect(await bodies()).toEqual(['b100', 'b100 too', 'c200', 'd300', 'e500']);
    });

    test('L4: one that comes later and is due sooner is released sooner', async () => {
      await createStream(ports());
      await hold([
        { body: '9', dueMs: 9_000 },
        { body: '6', dueMs: 6_000 },
        { body: '3', dueMs: 3_000 },
      ]);
      await releaseAt(ports(), 5_000);
      await hold([{ body: '6.5', dueMs: 6_500 }]);
      for (const nowMs of [6_000, 6_500, 9_000]) await releaseAt(ports(), nowMs);
      expect(await bodies()).toEqual(['3', '6', '6.5', '9']);
    });

    test('L5: each is released once, by whoever comes, also after a restart', async () => {
      await createStream(ports());
      await hold(several(6, 1_000));
      await releaseAt(ports(), 1_001);
      await restart();
      await Promise.all([releaseAt(ports(), 8_000), releaseAt(ports(), 8_000)]);
      await restart();
      expect(await releaseAt(ports(), 9_000)).toMatchObject({ released: 0, told: [] });
      expect(await bodies()).toEqual(several(6, 0).map(({ body }) => body));
      expect(await listed()).toEqual([]);
    });

    test('L5: what was missed is made up for, and told', async () => {
      await createStream(ports());
      await hold(several(5, 1_000));
      const { released, told } = await releaseAt(ports(), 90_000);
      expect(released).toBe(5);
      expect(told).toEqual([
        { messages: 5, oldestDueMs: 1_000, dropped: NONE, stored: [STREAM_ID] },
      ]);
      const [chunk] = await readAll(ports());
      expect(chunk?.timeMs).toBe(90_000);
    });

    test('L5: of more than one release can take, all are released in their order', async () => {
      await createStream(ports());
      const all = several(1_089, 1_000);
      for (let from = 0; from < all.length; from += 99) await hold(all.slice(from, from + 99));
      const { released, told } = await releaseAt(ports(), 90_000);
      expect(released).toBe(all.length);
      expect(told.length).toBeLessThan(6);
      expect(await bodies()).toEqual(all.map(({ body }) => body));
    });

    test('L12: with its target it is gone, and dropped when it is due', async () => {
      await createStream(ports());
      const { ids } = await hold(several(3, 5_000));
      const other = { name: streamName('t'), streamId: idOf(2), settings: {}, createdMs: 1_000 };
      await ports().catalog.create(other);
      await hold([{ body: 'stays', dueMs: 5_001 }], { stream: other.name });
      await ports().catalog.remove(STREAM, STREAM_ID);
      await maintain();
      await ports().catalog.create({ ...other, name: STREAM, streamId: idOf(4) });

      expect(await ports().timers.count()).toBe(1);
      expect(await ports().timers.count(TARGET)).toBe(0);
      const [first = heldIdOf(0, 0)] = ids;
      expect(await ports().timers.load(first)).toBeUndefined();
      expect(await ports().timers.cancel(first)).toBe(false);
      const { told } = await releaseAt(ports(), 9_000);
      expect(told.reduce((sum, { dropped }) => sum + dropped.target_deleted, 0)).toBe(3);
      expect([await bodies(), await bodies(other.name)]).toEqual([[], ['stays']]);
      expect(await releaseAt(ports(), 9_000)).toMatchObject({ released: 0 });
    });

    test('L12: any size and any time up to the maximum', async () => {
      await createStream(ports());
      const large = 'x'.repeat(1024 * 1024);
      const middle = 'y'.repeat(5_000);
      const years = 5 * 365 * 86_400_000;
      await hold([
        { body: large, dueMs: years },
        { body: middle, dueMs: years + 1 },
      ]);
      await hold([{ body: large, dueMs: years + 2 }]);
      await maintain();
      await restart();
      expect(await releaseAt(ports(), years - 1)).toMatchObject({ released: 0 });
      await releaseAt(ports(), years + 2);
      expect(await bodies()).toEqual([large, middle, large]);
    });

    test('L5: messages that wait for each other are stored as others are', async () => {
      await createStream(ports());
      await hold(several(2, 2_000));
      await publish(ports(), append(['now'], { timeMs: 5_000 }));
      await releaseAt(ports(), 3_000);
      const chunks = await readAll(ports());
      // The timestamps of a stream never go back, whatever the clock of the releaser says.
      expect(chunks.map(({ timeMs }) => timeMs)).toEqual([5_000, 5_000]);
      expect((await ports().log.tail(STREAM))?.next).toBe(at(3));
    });
  });
}
