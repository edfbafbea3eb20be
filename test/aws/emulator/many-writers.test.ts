/**
 * Many writers of one stream in several processes, on real services that fail now and then: what was
 * acknowledged is there once, at its place, and what was said to have had no effect is not.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAwsStore as createStore } from '../../../lib/aws/aws-store.ts';
import { createPrometheusMeter } from '../../../lib/http/prometheus-meter.ts';
import type { LogStore } from '../../../lib/ports/log-store.ts';
import { StoreError } from '../../../lib/ports/store-error.ts';
import { createSystemClock } from '../../../lib/process/system-clock.ts';
import { createSystemRandom } from '../../../lib/process/system-random.ts';
import { append, bodiesOf, readAll, STREAM, STREAM_ID } from '../../contract/contract-steps.ts';
import {
  createAwsFaults,
  INTERNAL_ERROR,
  LOST_ANSWER,
  MET_TRANSACTION,
  type OperationName,
  PUT_CONFLICT,
  RESET,
  SLOW_DOWN,
  THROTTLED,
} from '../../support/aws-faults.ts';
import { type AwsStore, createAwsStore } from '../../support/aws-store.ts';
import { publisherName } from '../../support/batches.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const PROCESSES = 4;
const WRITERS = 64;
const EACH = 6;
const EVERYWHERE = [INTERNAL_ERROR, RESET, LOST_ANSWER, THROTTLED];

let resources: AwsStore;
beforeAll(async () => {
  resources = await createAwsStore();
});
afterAll(() => resources.drop());

/** A process of the service, of which one request in twenty meets a fault. */
function openProcess(seed: number) {
  const faults = createAwsFaults();
  faults.sometimes({
    random: seededRandom(seed),
    rate: 0.05,
    faultsOf: (operation: OperationName) => {
      if (operation === 'PutObject') return [SLOW_DOWN, RESET, LOST_ANSWER, PUT_CONFLICT];
      return operation === 'UpdateItem' ? [...EVERYWHERE, MET_TRANSACTION] : EVERYWHERE;
    },
  });
  const { table, objects } = resources.connect({ wrapHandler: faults.wrapHandler });
  const told: string[] = [];
  const store = createStore({
    table,
    objects,
    clock: createSystemClock(),
    random: createSystemRandom(),
    telemetry: { error: (event) => void told.push(event) },
    meter: createPrometheusMeter(),
  });
  return { ...store, told };
}

/** What became of each message, as its publisher was told. */
interface Told {
  readonly stored: Map<string, number>;
  readonly unknown: Set<string>;
  readonly none: Set<string>;
}

async function publish(log: LogStore, body: string, told: Told): Promise<void> {
  try {
    const [outcome] = await log.commit([append([body])]);
    if (outcome?.kind !== 'stored') throw new Error(`${body} was told ${outcome?.kind}`);
    told.stored.set(body, outcome.start);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    (error.sideEffects === 'possible' ? told.unknown : told.none).add(body);
  }
}

/** Until it is told that the message is stored, by whichever try. */
async function publishNamed(log: LogStore, writer: number, id: number): Promise<void> {
  const publisher = { name: publisherName(`p${writer}`), ids: [id] };
  for (let tries = 0; tries < 50; tries++) {
    try {
      const [outcome] = await log.commit([append([`named ${writer} ${id}`], { publisher })]);
      if (outcome?.kind === 'stored' || outcome?.kind === 'duplicate') return;
      throw new Error(`publisher ${writer} was told ${outcome?.kind}`);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }
  throw new Error(`publisher ${writer} never got through`);
}

test(`P1 P2 P7 D1: ${WRITERS} writers in ${PROCESSES} processes lose nothing and double nothing`, async () => {
  const processes = Array.from({ length: PROCESSES }, (_, n) => openProcess(n + 1));
  const [first] = processes;
  const settings = { segment_max_bytes: 2_000 };
  const calm = createStore({
    ...resources.connect(),
    clock: createSystemClock(),
    random: createSystemRandom(),
    telemetry: { error() {} },
    meter: createPrometheusMeter(),
  });
  await calm.catalog.create({ name: STREAM, streamId: STREAM_ID, settings, createdMs: 1 });
  const told: Told = { stored: new Map(), unknown: new Set(), none: new Set() };
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      const log = processes[writer % PROCESSES]?.log ?? first?.log;
      if (log === undefined) return;
      for (let n = 0; n < EACH; n++) {
        if (writer % 2 === 0) await publish(log, `${writer} ${n}`, told);
        else await publishNamed(log, writer, n);
      }
    }),
  );

  const { next = 0 } = (await calm.log.tail(STREAM)) ?? {};
  const chunks = await readAll(calm);
  expect(chunks.map(({ base }) => base)).toEqual(Array.from({ length: next }, (_, n) => n));
  const bodies = bodiesOf(chunks);
  expect(new Set(bodies).size).toBe(bodies.length);
  for (const [body, start] of told.stored) expect(bodies[start]).toBe(body);
  expect(bodies.filter((body) => told.none.has(body))).toEqual([]);

  const known = bodies.filter((body) => !told.unknown.has(body));
  expect(known.length).toBe(told.stored.size + (WRITERS / 2) * EACH);
  for (let writer = 1; writer < WRITERS; writer += 2) {
    const own = bodies.filter((body) => body.startsWith(`named ${writer} `));
    expect(own).toEqual(Array.from({ length: EACH }, (_, n) => `named ${writer} ${n}`));
  }
  expect(told.stored.size).toBeGreaterThan((WRITERS / 2) * EACH * 0.8);
  expect((await calm.log.usage(STREAM_ID)).segments).toBeGreaterThan(1);
  expect(await calm.log.publisher(STREAM_ID, publisherName('p1'))).toMatchObject({
    highestId: EACH - 1,
    latest: { count: 1, firstId: EACH - 1, start: expect.any(Number), end: expect.any(Number) },
  });
});
