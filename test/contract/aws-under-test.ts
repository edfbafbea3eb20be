/** The store on S3 and DynamoDB over any table and objects, opened again as another process would. */
import { createAwsStore } from '../../lib/aws/aws-store.ts';
import type { Objects } from '../../lib/aws/objects.ts';
import type { Table } from '../../lib/aws/table.ts';
import { createPrometheusMeter } from '../../lib/http/prometheus-meter.ts';
import { createSystemRandom } from '../../lib/process/system-random.ts';
import { createMemoryObjects } from '../simulation/memory-objects.ts';
import { createMemoryTable } from '../simulation/memory-table.ts';
import { createManualClock } from '../support/manual-clock.ts';
import type { StoreUnderTest } from './store-under-test.ts';

export interface AwsParts {
  readonly table: Table;
  readonly objects: Objects;
  close?(): Promise<void>;
}

/** A failed upkeep would be told to the operators only: here it fails the test. */
const telemetry = {
  error(event: string, details: object) {
    throw new Error(event, { cause: details });
  },
};

/** By this clock no message is of any age, until a test moves it. */
export function awsStoreUnderTest(
  { table, objects, close }: AwsParts,
  clock = createManualClock(0),
): StoreUnderTest {
  const store = createAwsStore({
    table,
    objects,
    clock,
    random: createSystemRandom(),
    telemetry,
    meter: createPrometheusMeter(),
    packing: { pieceBytes: 1, pieceObjectsMax: 3 },
  });
  return {
    ...store,
    clock,
    restart: async () => awsStoreUnderTest({ table, objects, ...(close && { close }) }, clock),
    close: async () => await close?.(),
  };
}

export async function openAwsInMemoryUnderTest(): Promise<StoreUnderTest> {
  return awsStoreUnderTest({ table: createMemoryTable(), objects: createMemoryObjects() });
}

const READS = new Set([
  'tail',
  'readChunks',
  'scanChunks',
  'findTime',
  'usage',
  'segments',
  'publisher',
  'listPublishers',
  'bindings',
  'routes',
  'load',
  'list',
  'count',
]);

/**
 * Two processes that share a table and objects. Every change is made by the one that did not make the last,
 * and looked at by the other: each knows only what it saw itself.
 */
export async function openAwsPairUnderTest(): Promise<StoreUnderTest> {
  const parts = { table: createMemoryTable(), objects: createMemoryObjects() };
  const clock = createManualClock(0);
  const stores = [awsStoreUnderTest(parts, clock), awsStoreUnderTest(parts, clock)];
  let changes = 0;
  const inTurn = <
    Port extends 'log' | 'catalog' | 'consumers' | 'exchanges' | 'timers' | 'maintenance',
  >(
    port: Port,
  ): NonNullable<StoreUnderTest[Port]> =>
    new Proxy({} as NonNullable<StoreUnderTest[Port]>, {
      get(_, name) {
        const turn = READS.has(String(name)) ? changes + 1 : ++changes;
        return Reflect.get(stores[turn % stores.length]?.[port] ?? {}, name);
      },
    });
  return {
    log: inTurn('log'),
    catalog: inTurn('catalog'),
    consumers: inTurn('consumers'),
    exchanges: inTurn('exchanges'),
    timers: inTurn('timers'),
    maintenance: inTurn('maintenance'),
    clock,
    close: async () => {},
  };
}
