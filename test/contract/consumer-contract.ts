/** The contract of stored offsets: what is kept of each consumer, and which go when there are too many. */
import { describe, expect, test } from 'vitest';
import type { OffsetChange } from '../../lib/core/consumers/stored-offset.ts';
import type { StreamId } from '../../lib/core/log/ids.ts';
import { at, batchOf, consumerName, idOf } from '../support/batches.ts';
import {
  append,
  createStream,
  publish,
  STREAM,
  STREAM_ID,
  type Subject,
} from './contract-steps.ts';

const C = consumerName('c');
const EVERYTHING = { prefix: '', startAfter: '', limit: 1_000 };

export function describeConsumers({ ports, restart }: Subject): void {
  let nowMs = 0;
  const change = (kind: OffsetChange['kind'], next: number) => {
    return { kind, next: at(next), nowMs: ++nowMs };
  };
  /** Whoever asks a store of a stream has looked at it. */
  const save = async (kind: OffsetChange['kind'], next: number, name = 'c') => {
    const { streamId = STREAM_ID } = (await ports().log.tail(STREAM)) ?? {};
    return await ports().consumers.save(streamId, consumerName(name), change(kind, next));
  };
  const nextOf = async (name = 'c', id: StreamId = STREAM_ID) => {
    await ports().log.tail(STREAM);
    return (await ports().consumers.load(id, consumerName(name)))?.next;
  };
  const names = async (query = EVERYTHING) => {
    await ports().log.tail(STREAM);
    return (await ports().consumers.list(STREAM_ID, query)).map(({ name }) => name);
  };
  const withMessages = async (count: number, settings = {}) => {
    await createStream(ports(), settings);
    if (count > 0) await publish(ports(), append(batchOf(...'x'.repeat(count))));
  };
  const maintain = async () => {
    const { maintenance, clock } = ports();
    // Behind what a change of settings gives itself.
    clock?.set(clock.nowMs() + 60_000);
    await maintenance?.run(new AbortController().signal);
  };

  describe('consumers', () => {
    test('C1: the last offset set is stored, also after a restart', async () => {
      await withMessages(9);
      for (const next of [8, 2, 9, 4]) {
        expect(await save('set', next)).toEqual({
          kind: 'stored',
          stored: { next, writtenMs: nowMs },
        });
        expect(await nextOf()).toBe(next);
      }
      await restart();

      expect(await ports().consumers.load(STREAM_ID, C)).toEqual({ next: 4, writtenMs: nowMs });
    });

    test('C1: a raise never lowers, and says what is stored', async () => {
      await withMessages(9);
      await save('raise', 5);
      const writtenMs = nowMs;

      expect(await save('raise', 3)).toEqual({ kind: 'stored', stored: { next: 5, writtenMs } });
      expect(await save('raise', 5)).toEqual({ kind: 'stored', stored: { next: 5, writtenMs } });
      expect(await save('raise', 6)).toMatchObject({ stored: { next: 6, writtenMs: nowMs } });
      await restart();
      expect(await nextOf()).toBe(6);
    });

    test('C1: raises at the same time come to the highest', async () => {
      await withMessages(99);
      const offsets = Array.from({ length: 99 }, (_, index) => ((index * 37) % 99) + 1);
      await Promise.all(offsets.map((next) => save('raise', next)));

      expect(await nextOf()).toBe(99);
    });

    test('C3: 0 is stored, nothing stored is nothing', async () => {
      await withMessages(1);

      expect(await nextOf()).toBeUndefined();
      expect(await save('raise', 0)).toMatchObject({ kind: 'stored', stored: { next: 0 } });
      expect(await nextOf()).toBe(0);
    });

    test('C4: nothing is stored behind the end as it is then', async () => {
      await withMessages(2);
      await save('set', 1);

      expect(await save('set', 3)).toEqual({ kind: 'beyond', next: 2 });
      expect(await save('raise', 3)).toEqual({ kind: 'beyond', next: 2 });
      expect(await save('set', 3, 'd')).toEqual({ kind: 'beyond', next: 2 });
      expect([await nextOf(), await nextOf('d')]).toEqual([1, undefined]);
      await publish(ports(), append(['x']));
      expect(await ports().consumers.save(STREAM_ID, C, change('raise', 3))).toMatchObject({
        kind: 'stored',
      });
    });

    test('T9: a trim leaves what is stored', async () => {
      await withMessages(9);
      await save('set', 2);
      await ports().log.trim(STREAM_ID, at(5));

      expect(await nextOf()).toBe(2);
      expect(await save('set', 1)).toMatchObject({ stored: { next: 1 } });
    });

    test('C1: what is removed is gone, and can be stored anew', async () => {
      await withMessages(9);
      await save('set', 2);
      await save('set', 3, 'd');

      expect(await ports().consumers.remove(STREAM_ID, C)).toBe(true);
      expect(await ports().consumers.remove(STREAM_ID, C)).toBe(false);
      await restart();
      expect([await nextOf(), await nextOf('d')]).toEqual([undefined, 3]);
      await save('raise', 1);
      expect(await nextOf()).toBe(1);
    });

    test('C7: consumers are listed in pages, by the bytes of their names', async () => {
      await withMessages(9);
      const all = ['\u{10000}', '\u{ffff}', 'b', 'ab', 'a/b', 'aa', 'a', 'amq', '!', '='];
      for (const name of all) await save('set', 1, name);
      const sorted = all.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

      expect(await names()).toEqual(sorted);
      expect(await names({ ...EVERYTHING, limit: 3 })).toEqual(sorted.slice(0, 3));
      expect(await names({ ...EVERYTHING, startAfter: 'a' })).toEqual(sorted.slice(3));
      expect(await names({ ...EVERYTHING, prefix: 'a' })).toEqual(['a', 'a/b', 'aa', 'ab', 'amq']);
      expect(await names({ prefix: 'a', startAfter: 'a/b', limit: 2 })).toEqual(['aa', 'ab']);
      expect(await names({ ...EVERYTHING, prefix: 'c' })).toEqual([]);
    });

    test('T13: a stream created again has none, the old one answers nobody', async () => {
      await withMessages(9);
      await save('set', 2);
      await ports().catalog.remove(STREAM, STREAM_ID);
      await publish(ports(), append(batchOf(...'xxxx'), { createAs: idOf(2) }));
      await ports().log.tail(STREAM);

      expect([await nextOf(), await names()]).toEqual([undefined, []]);
      expect(await ports().consumers.save(STREAM_ID, C, change('set', 1))).toBeUndefined();
      expect(await ports().consumers.remove(STREAM_ID, C)).toBe(false);
      expect(await nextOf('c', idOf(2))).toBeUndefined();
      expect(await save('set', 3)).toMatchObject({ stored: { next: 3 } });
      expect(await save('set', 5)).toEqual({ kind: 'beyond', next: 4 });
      await restart();
      expect(await nextOf('c', idOf(2))).toBe(3);
    });

    test('C6: beyond the limit the least recently written goes', async () => {
      await withMessages(9, { consumer_limit: 3 });
      for (const name of ['a', 'b', 'c', 'a']) await save('set', 1, name);
      await maintain();
      expect(await names()).toEqual(['a', 'b', 'c']);

      await save('raise', 1, 'd');
      await maintain();
      expect(await names()).toEqual(['a', 'c', 'd']);
      await save('set', 1, 'b');
      await maintain();
      expect(await names()).toEqual(['a', 'b', 'd']);
      // It was written before them all; a raise that raises nothing does not count.
      await save('raise', 1, 'a');
      await save('raise', 2, 'e');
      await maintain();
      expect(await names()).toEqual(['b', 'd', 'e']);
    });

    test('C6: a removal makes room for one', async () => {
      await withMessages(9, { consumer_limit: 2 });
      for (const name of ['a', 'b']) await save('set', 1, name);
      await ports().consumers.remove(STREAM_ID, consumerName('b'));
      await save('set', 1, 'c');
      await maintain();
      await restart();

      expect(await names()).toEqual(['a', 'c']);
    });

    test('C6: a lower limit is kept to, a higher one gives room', async () => {
      await withMessages(9);
      for (const name of ['a', 'b', 'c', 'd', 'e']) await save('set', 1, name);
      const limit = async (consumer_limit: number, expected: number) => {
        const settings = { consumer_limit };
        expect(await ports().catalog.saveSettings(STREAM_ID, { settings, expected })).toBe(true);
      };

      await limit(2, 1);
      await maintain();
      expect(await names()).toEqual(['d', 'e']);
      await limit(4, 2);
      for (const name of ['f', 'g']) await save('set', 1, name);
      await maintain();
      await restart();
      expect(await names()).toEqual(['d', 'e', 'f', 'g']);
      await save('set', 1, 'h');
      await maintain();
      expect(await names()).toEqual(['e', 'f', 'g', 'h']);
    });

    test('C6: hundreds beyond the limit go', async () => {
      await withMessages(9);
      const all = Array.from({ length: 350 }, (_, index) => `c${`${index}`.padStart(3, '0')}`);
      for (const name of all)
        await ports().consumers.save(STREAM_ID, consumerName(name), change('set', 1));
      const settings = { consumer_limit: 10 };
      await ports().catalog.saveSettings(STREAM_ID, { settings, expected: 1 });
      await maintain();

      expect(await names()).toEqual(all.slice(-10));
    });
  });
}
