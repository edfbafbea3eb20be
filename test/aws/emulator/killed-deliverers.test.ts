/**
 * Functions that release held messages are killed again and again while they do: each of ten thousand messages comes
 * once, in the order in which they are due, never before its time.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type AwsStore, createAwsStore as openStoreOn } from '../../../lib/aws/aws-store.ts';
import { heldId } from '../../../lib/core/timer/held-id.ts';
import { createPrometheusMeter } from '../../../lib/http/prometheus-meter.ts';
import { createSystemClock } from '../../../lib/process/system-clock.ts';
import { createSystemRandom } from '../../../lib/process/system-random.ts';
import { bodiesOf } from '../../contract/contract-steps.ts';
import { createAwsStore, type AwsStore as Resources } from '../../support/aws-store.ts';
import { at, batchOf, idOf, streamName } from '../../support/batches.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const ENVIRONMENT = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
};
const DELIVER = fileURLToPath(new URL('./deliver-process.ts', import.meta.url));
const DELIVERERS = 3;
const STREAMS = 4;
const PER_REQUEST = 99;
const REQUESTS = 102;
/** After all are accepted; then they are due within so much. */
const BEGIN_MS = 40_000;
const SPREAD_MS = 10_000;

let resources: Resources;
let store: AwsStore;
const deliverers: ChildProcess[] = [];

function startDeliverer(): ChildProcess {
  const place = { VARVE_BUCKET: resources.bucket, VARVE_TABLE: resources.table };
  const env = { ...process.env, ...ENVIRONMENT, ...place };
  return spawn(process.execPath, [DELIVER], { stdio: 'ignore', env });
}

async function end(deliverer: ChildProcess): Promise<void> {
  if (deliverer.exitCode !== null || deliverer.signalCode !== null) return;
  const gone = once(deliverer, 'exit');
  deliverer.kill('SIGKILL');
  await gone;
}

beforeAll(async () => {
  resources = await createAwsStore();
  const { table, objects } = resources.connect();
  store = openStoreOn({
    table,
    objects,
    clock: createSystemClock(),
    random: createSystemRandom(),
    meter: createPrometheusMeter(),
    telemetry: { error: () => {} },
  });
  for (let n = 0; n < STREAMS; n++) {
    const entry = { name: streamName(`s${n}`), streamId: idOf(n), settings: {}, createdMs: 1 };
    await store.catalog.create(entry);
  }
});

afterAll(async () => {
  for (const deliverer of deliverers) await end(deliverer);
  await resources.drop();
});

/** Their bodies are their ids. */
async function holdSome(request: number, baseMs: number, random: () => number): Promise<string[]> {
  const ids = Array.from({ length: PER_REQUEST }, (_, index) => {
    const dueMs = baseMs + Math.floor(random() * SPREAD_MS);
    return heldId(dueMs, (request * 1_000 + index).toString(16).padStart(32, '0'));
  });
  const delays = ids.map((id, index) => ({ index, id, bytes: id.length }));
  const stream = streamName(`s${request % STREAMS}`);
  const append = { stream, batch: batchOf(...ids), delays, timeMs: Date.now() };
  expect(await store.log.commit([append])).toMatchObject([{ kind: 'held' }]);
  return ids;
}

async function stored(): Promise<number> {
  const names = Array.from({ length: STREAMS }, (_, number) => streamName(`s${number}`));
  const states = await Promise.all(names.map((name) => store.log.tail(name)));
  return states.reduce((sum, state) => sum + (state?.next ?? 0), 0);
}

async function read(number: number): Promise<{ body: string; timeMs: number }[]> {
  const state = await store.log.tail(streamName(`s${number}`));
  const found: { body: string; timeMs: number }[] = [];
  let from = 0;
  while (state !== undefined && from < state.next) {
    const range = { streamId: state.streamId, from: at(from), end: state.next, bytesMax: 1 };
    const chunks = await store.log.readChunks(range);
    for (const chunk of chunks) {
      found.push(...bodiesOf([chunk]).map((body) => ({ body, timeMs: chunk.timeMs })));
      from = chunk.base + chunk.count;
    }
  }
  return found;
}

test('L5 L11: what killed functions were releasing comes once, in order and in time', async () => {
  const random = seededRandom(9);
  const baseMs = Date.now() + BEGIN_MS;
  const held: string[][] = Array.from({ length: STREAMS }, () => []);
  for (let request = 0; request < REQUESTS; request++) {
    held[request % STREAMS]?.push(...(await holdSome(request, baseMs, random)));
  }
  expect(Date.now()).toBeLessThan(baseMs);
  expect(await store.timers.count()).toBe(PER_REQUEST * REQUESTS);
  for (let n = 0; n < DELIVERERS; n++) deliverers.push(startDeliverer());
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(baseMs - 500), { timeout: BEGIN_MS });
  for (let kill = 0; kill < 20; kill++) {
    await new Promise((resolve) => setTimeout(resolve, 300 + random() * 900));
    const index = Math.floor(random() * DELIVERERS);
    const victim = deliverers[index];
    if (victim !== undefined) await end(victim);
    deliverers[index] = startDeliverer();
  }
  await vi.waitFor(async () => expect(await stored()).toBe(PER_REQUEST * REQUESTS), {
    timeout: 120_000,
    interval: 500,
  });
  await vi.waitFor(async () => expect(await store.timers.count()).toBe(0), { timeout: 20_000 });
  for (const [number, ids] of held.entries()) {
    const found = await read(number);
    expect(found.map(({ body }) => body)).toEqual(ids.sort());
    const early = found.filter(
      ({ body, timeMs }) => timeMs < Number.parseInt(body.slice(0, 12), 16),
    );
    expect(early).toEqual([]);
  }
}, 240_000);
