/** The contract of messages that are held: accepted whole, shown, counted and cancelled. */
import { describe, expect, test } from 'vitest';
import type { HeldTarget } from '../../lib/core/timer/held-message.ts';
import { batchOf, idOf, publisherName, streamName } from '../support/batches.ts';
import {
  append,
  createStream,
  publish,
  STREAM,
  STREAM_ID,
  type Subject,
} from './contract-steps.ts';
import { FIRST_PAGE, heldIdOf, releaseAt, several, TARGET, timersOf } from './timer-steps.ts';
import { carrying, remembering } from './value-steps.ts';

export function describeHolding({ ports, restart }: Subject): void {
  const { hold, bodies, listed } = timersOf(ports);

  describe('messages that are held', () => {
    test('L13: are accepted together with those that are stored at once', async () => {
      await createStream(ports());
      const { outcome, ids } = await hold([
        { body: 'a' },
        { body: 'late', dueMs: 5_000 },
        { body: 'b' },
        { body: 'later', dueMs: 6_000 },
      ]);

      expect(outcome).toEqual({
        kind: 'stored',
        start: 0,
        end: 2,
        timeMs: 1_000,
        duplicates: 0,
        held: [1, 3],
        opensSegment: true,
        streamId: STREAM_ID,
      });
      expect(await bodies()).toEqual(['a', 'b']);
      expect(await listed()).toEqual(ids);
      expect((await ports().log.tail(STREAM))?.bytes).toBe(2);
    });

    test('L13: alone they leave the stream as it is', async () => {
      await createStream(ports());
      await publish(ports(), append(['a']));
      const before = await ports().log.tail(STREAM);
      for (const wanted of [[{ body: 'x', dueMs: 5_000 }], several(3, 5_000)]) {
        const { outcome } = await hold(wanted);
        const held = wanted.map((_, index) => index);
        const answer = { kind: 'held', held, duplicates: 0, next: 1, streamId: STREAM_ID };
        expect(outcome).toEqual(answer);
      }
      await restart();
      expect(await ports().log.tail(STREAM)).toEqual(before);
      expect(await ports().timers.count()).toBe(4);
    });

    test('L10: are shown with all that is known of them', async () => {
      await createStream(ports());
      const { ids } = await hold([
        { body: 'later', dueMs: 6_000 },
        { body: 'x', dueMs: 5_000 },
      ]);
      const [later = heldIdOf(0, 0), sooner = heldIdOf(0, 0)] = ids;
      const shown = (id: typeof later, bytes: number) => {
        return { id, target: TARGET, heldMs: 1_000, bytes };
      };
      await restart();

      expect(await ports().timers.list(FIRST_PAGE)).toEqual([shown(sooner, 1), shown(later, 5)]);
      const { records: record } = batchOf('later');
      const whole = { ...shown(later, 5), record: Uint8Array.from(record), jsonChecked: false };
      const loaded = await ports().timers.load(later);
      expect(loaded && { ...loaded, record: Uint8Array.from(loaded.record) }).toEqual(whole);
      expect(await ports().timers.load(heldIdOf(6_000, 2 ** 40))).toBeUndefined();
      const page = { startAfter: sooner, limit: 1 };
      expect(await ports().timers.list(page)).toEqual([shown(later, 5)]);
      expect(await ports().timers.list({ ...page, startAfter: later })).toEqual([]);
    });

    test('L10: are listed and counted by their target', async () => {
      await createStream(ports());
      const other = { name: streamName('t'), streamId: idOf(2), settings: {}, createdMs: 1_000 };
      await ports().catalog.create(other);
      const { ids } = await hold(several(2, 5_000));
      await hold(several(3, 5_000), { stream: other.name });

      expect(await listed(TARGET)).toEqual(ids);
      expect(await ports().timers.count(TARGET)).toBe(2);
      expect(await ports().timers.count()).toBe(5);
      const unknown: HeldTarget = { kind: 'stream', name: streamName('u'), id: idOf(3) };
      expect(await ports().timers.count(unknown)).toBe(0);
      expect(await listed(unknown)).toEqual([]);
    });

    test('L10: one that is cancelled is never released', async () => {
      await createStream(ports());
      const { ids } = await hold(several(3, 1_000));
      const [first = heldIdOf(0, 0), second = heldIdOf(0, 0)] = ids;
      expect(await ports().timers.cancel(second)).toBe(true);
      expect(await ports().timers.cancel(second)).toBe(false);
      expect(await ports().timers.load(second)).toBeUndefined();
      await restart();
      await releaseAt(ports(), 9_000);
      expect(await bodies()).toEqual(['m0', 'm2']);
      expect(await ports().timers.cancel(first)).toBe(false);
      expect(await ports().timers.cancel(heldIdOf(1_000, 2 ** 40))).toBe(false);
    });

    test('L3: publishing ids count when the messages are accepted', async () => {
      await createStream(ports());
      const named = (ids: readonly number[]) => ({ publisher: { name: publisherName('p'), ids } });
      const wanted = [
        { body: 'a', dueMs: 5_000 },
        { body: 'b', dueMs: 4_000 },
      ];
      expect((await hold(wanted, named([7, 8]))).outcome).toMatchObject({ held: [0, 1] });
      const record = await ports().log.publisher(STREAM_ID, publisherName('p'));
      expect(record?.highestId).toBe(8);
      const again = { kind: 'duplicate', duplicates: 2 };
      expect((await hold(wanted, named([7, 8]))).outcome).toMatchObject(again);
      await releaseAt(ports(), 9_000);
      expect((await hold(wanted, named([7, 8]))).outcome).toMatchObject(again);
      expect((await hold(wanted, named([8, 9]))).outcome).toMatchObject({
        kind: 'held',
        held: [1],
        duplicates: 1,
      });
      expect(await bodies()).toEqual(['b', 'a']);
      expect(await ports().timers.count()).toBe(1);
    });

    test('L3: ids of a request that is stored and held count for both', async () => {
      await createStream(ports());
      const publisher = { name: publisherName('p'), ids: [1, 2, 3] };
      const wanted = [{ body: 'a' }, { body: 'b', dueMs: 4_000 }, { body: 'c' }];
      expect((await hold(wanted, { publisher })).outcome).toMatchObject({ end: 2, held: [1] });
      expect((await hold(wanted, { publisher })).outcome).toMatchObject({
        kind: 'duplicate',
        range: { start: 0, end: 2 },
      });
      expect(await ports().timers.count()).toBe(1);
    });

    test.each([128, 1_000])(
      'L3 M5: values count when the messages are accepted, with a cache of %i',
      async (cacheSize) => {
        await createStream(ports(), remembering({ cache_size: cacheSize }));
        const { batch } = carrying(['v', 'w']);
        const held = (dueMs: number) => [
          { index: 0, id: heldIdOf(dueMs, dueMs), bytes: 40 },
          { index: 1, id: heldIdOf(dueMs, dueMs + 1), bytes: 40 },
        ];
        const wanted = (dueMs: number) => append(batch, { delays: held(dueMs) });
        expect(await publish(ports(), wanted(4_000))).toMatchObject([{ kind: 'held' }]);
        expect(await publish(ports(), wanted(4_100), carrying(['w', 'x']))).toMatchObject([
          { kind: 'duplicate', byValue: [0, 1] },
          { kind: 'stored', byValue: [0] },
        ]);
        const [cancelled] = held(4_000);
        if (cancelled) expect(await ports().timers.cancel(cancelled.id)).toBe(true);
        await releaseAt(ports(), 9_000);
        expect(await publish(ports(), carrying(['v']))).toMatchObject([{ kind: 'duplicate' }]);
        expect(await bodies()).toEqual(['x', 'w']);
      },
    );

    test('L13: a request that is refused holds nothing', async () => {
      await createStream(ports());
      await ports().log.setFencingToken(STREAM_ID, 'mine');
      const refused = { kind: 'reject', code: 'fenced' };
      for (const wanted of [
        several(1, 5_000),
        several(2, 5_000),
        [{ body: 'now' }, ...several(1, 5)],
      ]) {
        expect((await hold(wanted, { fencingToken: 'other' })).outcome).toEqual(refused);
        expect((await hold(wanted, { fencingToken: 'mine' })).outcome).not.toEqual(refused);
      }
      expect(await ports().timers.count()).toBe(4);
      const unknown = { stream: streamName('unknown') };
      expect((await hold(several(1, 5_000), unknown)).outcome).toEqual({
        kind: 'reject',
        code: 'stream_not_found',
      });
      expect(await ports().timers.count()).toBe(4);
    });

    test('P12: a stream comes to be with what is held for it', async () => {
      const { outcome } = await hold(several(1, 5_000), { createAs: STREAM_ID });
      expect(outcome).toMatchObject({ kind: 'held', streamId: STREAM_ID });
      expect(await ports().catalog.load(STREAM)).toMatchObject({ streamId: STREAM_ID });
      await releaseAt(ports(), 9_000);
      expect(await bodies()).toEqual(['m0']);
    });
  });
}
