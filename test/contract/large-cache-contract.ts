/** The contract of message deduplication: sizes of the cache, what each allows, and what becomes of one that changes. */
import { describe, expect, test } from 'vitest';
import type { Append } from '../../lib/ports/log-store.ts';
import { at } from '../support/batches.ts';
import { createStream, publish, STREAM, STREAM_ID, type Subject } from './contract-steps.ts';
import { carrying, remembering } from './value-steps.ts';

const STORED = { kind: 'stored', duplicates: 0 };

export function describeCacheSizes({ ports, restart }: Subject): void {
  const kinds = async (...appends: readonly Append[]) =>
    (await publish(ports(), ...appends)).map(({ kind }) => kind);

  describe('caches of values', () => {
    test('M1: a large cache takes 99 messages with a value a request, and any number without', async () => {
      await createStream(ports(), remembering({ cache_size: 129 }));
      const values = Array.from({ length: 100 }, (_, n) => `${n}`);

      expect(await publish(ports(), carrying(values))).toEqual([
        { kind: 'reject', code: 'too_many_messages', limit: 99, actual: 100 },
      ]);
      expect(
        await publish(ports(), carrying([...values.slice(1), ...values.map(() => undefined)])),
      ).toMatchObject([{ ...STORED, start: 0, end: 199 }]);
      const commit = [values.slice(1), values.slice(0, 2), values.slice(0, 1)].map((some) =>
        carrying(some),
      );
      expect(await ports().log.commit(commit)).toMatchObject([
        { kind: 'duplicate', duplicates: 99 },
        { ...STORED, start: 199, end: 200, duplicates: 1, byValue: [1] },
        { kind: 'duplicate', duplicates: 1 },
      ]);
    });

    test('M1: a commit of many requests records more than one of them could', async () => {
      await createStream(ports(), remembering({ cache_size: 1_000 }));
      const some = (from: number) => carrying(Array.from({ length: 60 }, (_, n) => `${from + n}`));
      const commit = [some(0), some(60), some(120), some(60)];

      expect(await ports().log.commit(commit)).toMatchObject([
        { ...STORED, start: 0, end: 60 },
        { ...STORED, start: 60, end: 120 },
        { ...STORED, start: 120, end: 180 },
        { kind: 'duplicate', duplicates: 60, next: 180 },
      ]);
    });

    test.each([
      [2, 200],
      [200, 2],
      [3, 2],
      [200, 130],
    ])('M1: a cache of %i that becomes one of %i keeps the latest', async (before, after) => {
      await createStream(ports(), remembering({ cache_size: before }));
      const values = ['A', 'B', 'C'];
      await publish(ports(), ...values.map((value) => carrying([value])));
      const settings = remembering({ cache_size: after });
      await ports().catalog.saveSettings(STREAM_ID, { settings, expected: 1 });
      await restart();

      const kept = Math.min(before, after, 3);
      const latest = values.slice(-kept).map((value) => carrying([value]));
      expect(new Set(await kinds(...latest))).toEqual(new Set(['duplicate']));
      expect(await kinds(carrying(['D']), carrying(['C']), carrying(['D']))).toEqual([
        'stored',
        'duplicate',
        'duplicate',
      ]);
      expect((await ports().log.tail(STREAM))?.next).toBe(at(4));
    });
  });
}
