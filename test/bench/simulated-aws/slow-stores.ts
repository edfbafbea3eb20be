/**
 * S3 and DynamoDB in memory that take as long as the real ones: each call is answered after a time drawn
 * from the distribution of its kind, always the same ones for a seed. What it takes to compute the answer
 * passes within that time.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Objects } from '../../../lib/aws/objects.ts';
import type { Table } from '../../../lib/aws/table.ts';
import { deviationOf, STORE_LATENCY } from '../../../scripts/cost/store-latency.ts';
import { createMemoryObjects, type MemoryObjects } from '../../simulation/memory-objects.ts';
import { createMemoryTable } from '../../simulation/memory-table.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { createStoreTime, type StoreTime } from './store-time.ts';

type Call = keyof typeof STORE_LATENCY;

export interface SlowStores {
  readonly table: Table;
  readonly objects: Objects;
  /** Counts what is put and got. */
  readonly calls: MemoryObjects['calls'];
  readonly storeTime: StoreTime;
  /** The same ones without any latency, for what goes before a measurement. */
  readonly fast: { readonly table: Table; readonly objects: Objects };
  /** Of all latencies; 0 while code is warmed up. */
  setScale(scale: number): void;
  /** What runs in it keeps nobody waiting, so it takes no store time. */
  inBackground<Value>(run: () => Promise<Value>): Promise<Value>;
}

/** Timers come up to a millisecond late; the rest is waited for turn by turn of the event loop. */
const TIMER_ERROR_MS = 2;

export function createSlowStores(seed: number): SlowStores {
  const draw = createDraw(seed);
  const storeTime = createStoreTime();
  const background = new AsyncLocalStorage<true>();
  const [table, objects] = [createMemoryTable(), createMemoryObjects()];
  let scale = 0;

  async function after<Value>(call: Call, run: () => Promise<Value>): Promise<Value> {
    const startMs = performance.now();
    const endMs = startMs + scale * draw(call);
    if (scale > 0 && background.getStore() === undefined) storeTime.add({ startMs, endMs });
    const value = await run();
    if (scale > 0) await waitUntil(endMs);
    return value;
  }

  return {
    table: slowTable(table, after),
    objects: slowObjects(objects, after),
    calls: objects.calls,
    storeTime,
    fast: { table, objects },
    setScale(next) {
      scale = next;
    },
    inBackground: (run) => background.run(true, run),
  };
}

type After = <Value>(call: Call, run: () => Promise<Value>) => Promise<Value>;

function slowTable(table: Table, after: After): Table {
  return {
    get: (key) => after('dynamodbRead', () => table.get(key)),
    getMany: (keys) => after('dynamodbRead', () => table.getMany(keys)),
    query: (request) => after('dynamodbRead', () => table.query(request)),
    update: (request, repeat) => after('dynamodbWrite', () => table.update(request, repeat)),
    put: (request, repeat) => after('dynamodbWrite', () => table.put(request, repeat)),
    delete: (request, repeat) => after('dynamodbWrite', () => table.delete(request, repeat)),
    transact: (steps, token) => after('dynamodbWrite', () => table.transact(steps, token)),
    deleteMany: (keys) => after('dynamodbWrite', () => table.deleteMany(keys)),
  };
}

function slowObjects(objects: MemoryObjects, after: After): Objects {
  return {
    ...objects,
    put: (name, bytes) => after('s3Put', () => objects.put(name, bytes)),
    get: (name) => after('s3Get', () => objects.get(name)),
    getRange: (name, range) => after('s3Get', () => objects.getRange(name, range)),
  };
}

/** A time in ms, lognormal: two uniform numbers make a normal one (Box and Muller). */
export function createDraw(seed: number): (call: Call) => number {
  const random = seededRandom(seed);
  return (call) => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const latency = STORE_LATENCY[call];
    return latency.medianMs * Math.exp(deviationOf(latency) * normal);
  };
}

async function waitUntil(endMs: number): Promise<void> {
  const leftMs = endMs - performance.now();
  if (leftMs > TIMER_ERROR_MS) await pause(leftMs - TIMER_ERROR_MS);
  while (performance.now() < endMs) await new Promise((resolve) => setImmediate(resolve));
}
