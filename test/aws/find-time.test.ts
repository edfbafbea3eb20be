/** Times are found wherever their messages lie by now (SPEC O8). */
import { expect, test } from 'vitest';
import { append, createStream, publish, STREAM, STREAM_ID } from '../contract/contract-steps.ts';
import { at, batchOfSize } from '../support/batches.ts';
import { type MemoryAws, openMemoryAws } from '../support/memory-aws.ts';
import { collectAll, objectsOf, packAll } from './segment-steps.ts';

const MESSAGES = 100;

/** Two messages of each time, all even, each in a commit of three requests or alone. */
async function openTimes(): Promise<MemoryAws> {
  const store = openMemoryAws({ packing: { pieceBytes: 1e9, pieceObjectsMax: 3 } });
  await createStream(store, { segment_max_bytes: 1_500 });
  for (let n = 0; n < MESSAGES; ) {
    const requests = n % 5 === 0 ? Math.min(3, MESSAGES - n) : 1;
    const appends = Array.from({ length: requests }, () =>
      append(batchOfSize(1, 100), { timeMs: 2 * Math.floor(n++ / 2) }),
    );
    await store.log.commit(appends);
  }
  return store;
}

/** By the rule: the first at or above `first` of this time or later. */
function expected(timeMs: number, first: number): number {
  const offsets = Array.from({ length: MESSAGES }, (_, offset) => offset);
  return (
    offsets.find((offset) => offset >= first && 2 * Math.floor(offset / 2) >= timeMs) ?? MESSAGES
  );
}

const nothing = async () => {};
/** One that was not there then keeps its segment from being packed. */
const partlyPacked = async (store: MemoryAws) => {
  const [name = ''] = objectsOf(store, 'chunks').slice(20);
  const bytes = (await store.objects.get(name)) ?? new Uint8Array();
  await store.objects.deleteMany([name]);
  await packAll(store);
  await store.objects.put(name, bytes);
};
const collected = async (store: MemoryAws) => {
  await packAll(store);
  await collectAll(store);
};

test.each([
  ['in chunks', nothing],
  ['packed', packAll],
  ['packed, and chunks where a segment could not be', partlyPacked],
  ['packed and collected', collected],
])('O8: every time is found in what is %s', async (_what, prepare) => {
  const store = await openTimes();
  await prepare(store);
  const reader = store.another();
  for (const first of [0, 1, 37, 99]) {
    for (let timeMs = 0; timeMs <= MESSAGES + 1; timeMs++) {
      const query = { streamId: STREAM_ID, first: at(first), next: at(MESSAGES), timeMs };
      expect(await reader.log.findTime(query)).toBe(expected(timeMs, first));
    }
  }
});

test('O8: who saw the stream before it was packed and collected finds every time', async () => {
  const store = await openTimes();
  const stale = Array.from({ length: 8 }, () => store.another());
  for (const one of stale) await one.log.tail(STREAM);
  for (let n = 0; n < 20; n++) {
    await publish(store, append(batchOfSize(1, 100), { timeMs: 1_000 }));
  }
  await collected(store);

  for (const [index, one] of stale.entries()) {
    const timeMs = 13 * index + 5;
    const query = { streamId: STREAM_ID, first: at(0), next: at(MESSAGES), timeMs };
    expect(await one.log.findTime(query)).toBe(expected(timeMs, 0));
  }
});
