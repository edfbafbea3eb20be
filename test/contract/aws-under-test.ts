/** The store on S3 and DynamoDB over any table and objects, opened again as another process would. */
import { createAwsStore } from '../../lib/aws/aws-store.ts';
import type { Objects } from '../../lib/aws/objects.ts';
import type { Table } from '../../lib/aws/table.ts';
import { createPrometheusMeter } from '../../lib/http/prometheus-meter.ts';
import { createSystemClock } from '../../lib/process/system-clock.ts';
import { createSystemRandom } from '../../lib/process/system-random.ts';
import { createMemoryObjects } from '../simulation/memory-objects.ts';
import { createMemoryTable } from '../simulation/memory-table.ts';
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

export function awsStoreUnderTest({ table, objects, close }: AwsParts): StoreUnderTest {
  const [clock, random] = [createSystemClock(), createSystemRandom()];
  const store = createAwsStore({
    table,
    objects,
    clock,
    random,
    telemetry,
    meter: createPrometheusMeter(),
  });
  return {
    ...store,
    restart: async () => awsStoreUnderTest({ table, objects, ...(close && { close }) }),
    close: async () => await close?.(),
  };
}

export async function openAwsInMemoryUnderTest(): Promise<StoreUnderTest> {
  return awsStoreUnderTest({ table: createMemoryTable(), objects: createMemoryObjects() });
}

const READS = new Set(['tail', 'readChunks', 'findTime', 'usage', 'publisher', 'load', 'list']);

/**
 * Two processes that share a table and objects. Every change is made by the one that did not make the last,
 * and looked at by the other: each knows only what it saw itself.
 */
export async function openAwsPairUnderTest(): Promise<StoreUnderTest> {
  const parts = { table: createMemoryTable(), objects: createMemoryObjects() };
  const stores = [awsStoreUnderTest(parts), awsStoreUnderTest(parts)];
  let changes = 0;
  const inTurn = <Port extends 'log' | 'catalog'>(port: Port): StoreUnderTest[Port] =>
    new Proxy({} as StoreUnderTest[Port], {
      get(_, name) {
        const turn = READS.has(String(name)) ? changes + 1 : ++changes;
        return Reflect.get(stores[turn % stores.length]?.[port] ?? {}, name);
      },
    });
  return { log: inTurn('log'), catalog: inTurn('catalog'), close: async () => {} };
}
