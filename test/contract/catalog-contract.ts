/** The contract of the catalog: which streams there are and how they are set. */
import { describe, expect, test } from 'vitest';
import { idOf, streamName } from '../support/batches.ts';
import {
  append,
  createStream,
  publish,
  STREAM,
  STREAM_ID,
  type Subject,
} from './contract-steps.ts';

export function describeCatalog({ ports, restart }: Subject): void {
  const load = () => ports().catalog.load(STREAM);

  describe('the catalog', () => {
    test('creates a stream once and keeps what it was created with', async () => {
      const settings = { segment_max_bytes: 5, segment_max_age: 86_400_000 };
      expect(await load()).toBeUndefined();
      expect(await createStream(ports(), settings)).toBe(true);
      const entry = { name: STREAM, streamId: STREAM_ID, settings, revision: 1, createdMs: 1_000 };
      const other = { ...entry, streamId: idOf(2), settings: {} };
      expect(await ports().catalog.create(other)).toBe(false);
      await restart();

      expect(await load()).toEqual(entry);
      expect(await ports().log.tail(STREAM)).toMatchObject({ settings, revision: 1, next: 0 });
    });

    test('saves settings under the revision that was read, and only that', async () => {
      await createStream(ports(), { segment_max_bytes: 5 });
      const save = (expected: number, bytes: number) =>
        ports().catalog.saveSettings(STREAM_ID, {
          settings: { segment_max_bytes: bytes },
          expected,
        });

      expect(await save(2, 6)).toBe(false);
      expect(await save(1, 7)).toBe(true);
      expect(await save(1, 8)).toBe(false);
      await restart();
      expect(await load()).toMatchObject({ settings: { segment_max_bytes: 7 }, revision: 2 });
      expect(await save(2, 9)).toBe(true);
      expect(await ports().log.tail(STREAM)).toMatchObject({ revision: 3 });
    });

    test('T6: settings govern the very next commit', async () => {
      await createStream(ports(), { segment_max_bytes: 1_000 });
      const change = { settings: { segment_max_bytes: 1 }, expected: 1 };
      const [first] = await publish(ports(), append(['a']));
      await ports().catalog.saveSettings(STREAM_ID, change);

      expect(first).toMatchObject({ opensSegment: true });
      expect(await publish(ports(), append(['b']), append(['c']))).toMatchObject([
        { opensSegment: true },
        { opensSegment: true },
      ]);
    });

    test('T13: removes the incarnation that is named, no other', async () => {
      await createStream(ports());

      expect(await ports().catalog.remove(STREAM, idOf(2))).toBe(false);
      expect(await ports().catalog.remove(streamName('t'), STREAM_ID)).toBe(false);
      expect(await load()).toBeDefined();
      expect(await ports().catalog.remove(STREAM, STREAM_ID)).toBe(true);
      expect(await load()).toBeUndefined();
      expect(await ports().catalog.remove(STREAM, STREAM_ID)).toBe(false);
    });

    test('lists names by their UTF-8 bytes, in pages, by prefix', async () => {
      // In UTF-16 the last one would come before the one at U+FFFD.
      const names = ['A', 'a', 'a/1', 'a/2', 'ab', 'b%', 'z', 'ä', '\u{fffd}', '\u{1f701}'];
      for (const [n, name] of [...names.entries()].reverse()) {
        const entry = { name: streamName(name), streamId: idOf(n), settings: {}, createdMs: n };
        await ports().catalog.create(entry);
      }
      const page = async (prefix: string, startAfter: string, limit: number) => {
        const entries = await ports().catalog.list({ prefix, startAfter, limit });
        return entries.map(({ name }) => name);
      };

      expect(await page('', '', 100)).toEqual(names);
      expect(await page('', 'ab', 3)).toEqual(['b%', 'z', 'ä']);
      expect(await page('', 'aa', 2)).toEqual(['ab', 'b%']);
      expect(await page('a', '', 100)).toEqual(['a', 'a/1', 'a/2', 'ab']);
      expect(await page('a', 'a/1', 100)).toEqual(['a/2', 'ab']);
      expect(await page('a/', '', 1)).toEqual(['a/1']);
      expect(await page('b', 'a', 100)).toEqual(['b%']);
      expect(await page('a', 'b', 100)).toEqual([]);
      expect(await page('\u{1f701}', '', 100)).toEqual(['\u{1f701}']);
      expect(await page('', '\u{1f701}', 100)).toEqual([]);
    });
  });
}
