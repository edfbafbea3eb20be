/** Packing changes nothing that a reader sees, and is given up where something is not there. */
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { append, createStream, readAll, STREAM, STREAM_ID } from '../contract/contract-steps.ts';
import { at, batchOf } from '../support/batches.ts';
import { type MemoryAws, openMemoryAws } from '../support/memory-aws.ts';
import { noise } from '../support/noise.ts';
import {
  collectAll,
  HOUR_MS,
  keysOf,
  maintain,
  objectsOf,
  packAll,
  publishMore,
  publishSegments,
  SOON_MS,
  walk,
} from './segment-steps.ts';

/** The largest are blocks of their own, three by three. */
const LARGE_BODIES = [100, 2_000, 400_000].map(noise);
const everyOffset = (count: number) => Array.from({ length: count }, (_, offset) => offset);

/** By checksum, as comparing megabytes byte by byte takes a test's time. */
async function seen(store: MemoryAws) {
  const chunks = await readAll(store);
  return chunks.map(({ records, ...chunk }) => ({ ...chunk, crc: crc32(records) }));
}

test('P1 O18: every chunk keeps its messages, its bounds and its time', async () => {
  const body = fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom(...LARGE_BODIES));
  const chunk = fc.record({
    bodies: fc.array(body, { minLength: 1, maxLength: 4 }),
    timeMs: fc.nat(5_000),
  });
  const history = fc.record({
    // Commits of one request or of several, which share an object.
    commits: fc.array(fc.array(chunk, { minLength: 1, maxLength: 3 }), {
      minLength: 2,
      maxLength: 20,
    }),
    segmentBytes: fc.constantFrom(1, 500, 3_000_000),
    packing: fc.record({
      pieceBytes: fc.constantFrom(1, 1_000_000, 32_000_000),
      pieceObjectsMax: fc.constantFrom(1, 3, 4_096),
    }),
  });
  await fc.assert(
    fc.asyncProperty(history, async ({ commits, segmentBytes, packing }) => {
      const store = openMemoryAws({ packing });
      await createStream(store, { segment_max_bytes: segmentBytes });
      for (const chunks of commits) {
        const appends = chunks.map(({ bodies, timeMs }) => append(batchOf(...bodies), { timeMs }));
        await store.log.commit(appends);
      }
      const before = await seen(store);
      await packAll(store);
      expect(await seen(store.another())).toEqual(before);
      await collectAll(store);
      expect(await seen(store.another())).toEqual(before);
      expect(keysOf(store, 'I')).toHaveLength(0);
    }),
    { numRuns: 30 },
  );
});

test('pieces end where their limits are reached, and follow on one another', async () => {
  const store = openMemoryAws({ packing: { pieceBytes: 1e6, pieceObjectsMax: 4 } });
  await publishSegments(store, 21, { inSegment: 10 });
  await packAll(store);

  const bounds = objectsOf(store, 'pieces').map((name) => name.split('/').at(-1)?.slice(0, 41));
  const text = (offset: number) => `${offset}`.padStart(20, '0');
  const expected = [0, 4, 8, 10, 14, 18].map((from, index) => [
    from,
    [4, 8, 10, 14, 18, 20][index],
  ]);
  expect(bounds).toEqual(expected.map(([from = 0, end = 0]) => `${text(from)}-${text(end)}`));
});

describe('a chunk', () => {
  const damages: readonly (readonly [string, (store: MemoryAws, name: string) => Promise<void>])[] =
    [
      ['is lost', (store, name) => store.objects.deleteMany([name])],
      [
        'is damaged',
        async (store, name) => {
          await store.objects.deleteMany([name]);
          await store.objects.put(name, Uint8Array.of(1));
        },
      ],
    ];
  const unpackable = async (damage: (store: MemoryAws, name: string) => Promise<void>) => {
    const store = openMemoryAws();
    await publishSegments(store, 5 * 20, { inSegment: 20 });
    await store.clock.advance(2 * HOUR_MS);
    await publishMore(store, 2 * 20);
    // Of five of the six segments: more than one turn comes to.
    const names = objectsOf(store, 'chunks');
    for (const segment of [0, 1, 2, 3, 4]) await damage(store, names[20 * segment + 7] ?? '');
    return store;
  };

  test.each(damages)('that %s leaves its segment as it is, and no other', async (_how, damage) => {
    const store = await unpackable(damage);
    await packAll(store);

    expect(objectsOf(store, 'pieces')).toHaveLength(1);
    await collectAll(store);
    expect(objectsOf(store, 'chunks').length).toBeLessThanOrEqual(6 * 20);
    expect(keysOf(store, 'I')).toHaveLength(2 * 5 + 1);
    const reader = store.another();
    await expect(walk(reader, 1)).rejects.toMatchObject({ kind: 'corrupt' });
  });

  test('that is back after an hour is packed then', async () => {
    const store = openMemoryAws();
    await publishSegments(store, 41, { inSegment: 20 });
    const [name = ''] = objectsOf(store, 'chunks');
    const bytes = await store.objects.get(name);
    await store.objects.deleteMany([name]);
    await packAll(store);
    expect(objectsOf(store, 'pieces')).toHaveLength(1);

    await store.objects.put(name, bytes ?? new Uint8Array());
    await store.clock.advance(HOUR_MS - 1);
    await maintain(store);
    expect(objectsOf(store, 'pieces')).toHaveLength(1);
    await store.clock.advance(1);
    await maintain(store);
    expect(objectsOf(store, 'pieces')).toHaveLength(2);
    await collectAll(store);
    expect(await walk(store.another(), 1_000)).toEqual(everyOffset(41));
    expect(objectsOf(store, 'chunks')).toHaveLength(1);
  });
});

test('O16: who walks through a stream while it is packed and collected sees each message once', async () => {
  const store = openMemoryAws({ packing: { pieceBytes: 1e6, pieceObjectsMax: 7 } });
  await publishSegments(store, 150, { inSegment: 40 });
  const stale = Array.from({ length: 4 }, () => store.another());
  // Each knows the tail, and some of the index or the segments, as they were by then.
  for (const one of stale) await one.log.tail(STREAM);
  await walk(stale[0] ?? store, 1_000);
  let page = 0;
  const events = [packAll, (all: MemoryAws) => publishMore(all, 15), packAll, collectAll];
  const between = async () => {
    if (page % 3 === 0) await events[(page / 3) % events.length]?.(store);
    page++;
  };

  expect(await walk(stale[1] ?? store, 500, between)).toEqual(everyOffset(150));
  for (const one of stale) {
    const bases: number[] = [];
    for (let from = 0; from < 150; from = bases.length) {
      const range = { streamId: STREAM_ID, from: at(from), end: at(150), bytesMax: 1e9 };
      bases.push(...(await one.log.readChunks(range)).map(({ base }) => base));
    }
    expect(bases).toEqual(everyOffset(150));
    expect(one.told).toEqual([]);
  }
});

test('what the index says of a packed segment stays for an hour', async () => {
  const store = openMemoryAws();
  await publishSegments(store, 21, { inSegment: 20 });
  await packAll(store);
  const [due = ''] = keysOf(store, 'D');
  const dueMs = Number.parseInt(due.slice(0, 12), 16);
  store.clock.set(dueMs - 2 * SOON_MS);
  await publishMore(store, 20);
  await packAll(store);
  expect(objectsOf(store, 'pieces')).toHaveLength(2);
  store.clock.set(dueMs);
  await maintain(store);
  expect(keysOf(store, 'I').map(Number)).toEqual([20, 36]);

  await collectAll(store);
  expect(keysOf(store, 'I')).toEqual([]);
  expect(objectsOf(store, 'chunks')).toHaveLength(1);
});
