/**
 * A million messages of which two short runs are wanted: what a reader of them takes from S3, beside one that
 * reads everything (SPEC F7). Counted in requests and bytes, as an emulator's times say nothing of S3.
 */
import { expect, test } from 'vitest';
import type { Objects } from '../../../lib/aws/objects.ts';
import type { MessageFilter } from '../../../lib/core/filter/filter.ts';
import type { Offset } from '../../../lib/core/log/ids.ts';
import type { Batch } from '../../../lib/ports/log-store.ts';
import { encodeRecords, recordBytes } from '../../../lib/wire/record.ts';
import { append, createStream, publish, STREAM, STREAM_ID } from '../../contract/contract-steps.ts';
import { createAwsStore } from '../../support/aws-store.ts';
import { at } from '../../support/batches.ts';
import { packAll } from '../segment-steps.ts';
import { openStore } from './open-store.ts';

const COMMITS = 200;
const IN_COMMIT = 5_000;
/** The commits whose first messages are rare. */
const RARE_IN = [40, 143];
const PAGE_BYTES = 1024 * 1024;
/** A request of S3 takes some 20 ms, and a connection carries some 50 MB in a second. */
const REQUEST_MS = 20;
const BYTES_PER_MS = 50_000;

const RARE: MessageFilter = {
  match: 'all',
  parts: [{ kind: 'value', value: 'rare' }],
  matchUnfiltered: false,
};

type Store = ReturnType<typeof openStore>;

/** Some 200 bytes each, no two alike. */
function batch(commit: number): Batch {
  const records = Array.from({ length: IN_COMMIT }, (_, index) => {
    const id = commit * IN_COMMIT + index;
    const value = index < 10 && RARE_IN.includes(commit) ? 'rare' : 'common';
    const hash = Array.from({ length: 8 }, (__, n) => Math.imul(id + 1, 2_654_435_761 + n) >>> 0);
    return {
      body: new Uint8Array(Buffer.from(JSON.stringify({ id, hash, from: `sensor-${id % 977}` }))),
      contentType: 'application/json',
      headers: new Uint8Array(Buffer.from(`{"x-stream-filter-value":"${value}"}`)),
    };
  });
  const bytes = records.reduce((sum, record) => sum + recordBytes(record), 0);
  return { count: IN_COMMIT, records: encodeRecords(records), bytes, jsonChecked: true };
}

interface Taken {
  requests: number;
  bytes: number;
}

function counting(objects: Objects, taken: Taken): Objects {
  const count = (bytes: Uint8Array | undefined) => {
    taken.requests++;
    taken.bytes += bytes?.length ?? 0;
    return bytes;
  };
  return {
    ...objects,
    get: async (name) => count(await objects.get(name)),
    getRange: async (name, range) => count(await objects.getRange(name, range)),
  };
}

/** Reads [from, end) by the pages that a step gives, until there is nothing left. */
async function walk(end: number, step: (from: Offset) => Promise<number>): Promise<void> {
  for (let from = at(0); from < end; ) {
    const next = await step(from);
    if (next <= from) throw new Error(`nothing from ${from} on`);
    from = at(next);
  }
}

async function fill(store: Store): Promise<number> {
  await createStream(store);
  for (let commit = 0; commit < COMMITS; commit++) await publish(store, append(batch(commit)));
  // What is active is not packed: another segment ends this one.
  const settings = { segment_max_bytes: 1 };
  await store.catalog.saveSettings(STREAM_ID, { settings, expected: 1 });
  await publish(store, append(['the active one']));
  await packAll(store);
  return (await store.log.tail(STREAM))?.first ?? 0;
}

const seconds = ({ requests, bytes }: Taken) =>
  (requests * REQUEST_MS + bytes / BYTES_PER_MS) / 1_000;

test('F7: two runs among a million messages take a fiftieth of the bytes, in a twentieth of the time', async () => {
  await using resources = await createAwsStore();
  const store = openStore(resources.connect());
  await fill(store);
  const end = COMMITS * IN_COMMIT;
  const reader = async (taken: Taken) => {
    const { table, objects } = resources.connect();
    const { clock } = store;
    const opened = openStore({ table, objects: counting(objects, taken), clock });
    await opened.log.tail(STREAM);
    return opened.log;
  };
  const range = { streamId: STREAM_ID, end: at(end), bytesMax: PAGE_BYTES };

  const all: Taken = { requests: 0, bytes: 0 };
  const allLog = await reader(all);
  await walk(end, async (from) => {
    const last = (await allLog.readChunks({ ...range, from })).at(-1);
    return last === undefined ? 0 : last.base + last.count;
  });

  const rare: Taken = { requests: 0, bytes: 0 };
  const rareLog = await reader(rare);
  let given = 0;
  await walk(end, async (from) => {
    const scanned = await rareLog.scanChunks({ ...range, from }, RARE);
    given += scanned.chunks.length;
    return scanned.end;
  });

  expect(given).toBeGreaterThanOrEqual(RARE_IN.length);
  expect(all.bytes).toBeGreaterThan(10_000_000);
  expect(rare.bytes / all.bytes).toBeLessThan(0.02);
  expect(seconds(all) / seconds(rare)).toBeGreaterThan(20);
}, 240_000);
