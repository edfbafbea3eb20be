/** The store in memory, with what each operation on it costs. */
import { type AwsStore, createAwsStore } from '../../../lib/aws/aws-store.ts';
import type { Item } from '../../../lib/aws/table.ts';
import { tailKey } from '../../../lib/aws/table-key.ts';
import type { StreamName } from '../../../lib/core/log/ids.ts';
import type { StreamSettings } from '../../../lib/core/log/settings.ts';
import { createPrometheusMeter } from '../../../lib/http/prometheus-meter.ts';
import type { StreamEntry } from '../../../lib/ports/catalog.ts';
import type { Append } from '../../../lib/ports/log-store.ts';
import type { Random } from '../../../lib/ports/random.ts';
import { createSystemRandom } from '../../../lib/process/system-random.ts';
import type { Units } from '../../../scripts/cost/operation-units.ts';
import { createMemoryObjects, type MemoryObjects } from '../../simulation/memory-objects.ts';
import { createMemoryTable, type MemoryTable } from '../../simulation/memory-table.ts';
import { START_MS } from '../../support/api.ts';
import { batchOf, idOf, streamName } from '../../support/batches.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';

/** Ten bytes, as the sizes that the layout promises are counted with. */
export const STREAM = streamName('ten-bytes-');
export const STREAM_ID = idOf(1);

export interface CountedStore extends AwsStore {
  readonly table: MemoryTable;
  readonly objects: MemoryObjects;
  readonly clock: ManualClock;
  /** What the calls that `run` makes are charged. */
  costOf(run: () => Promise<unknown>): Promise<Units>;
  /** Another process on the same table and objects: it knows nothing. */
  another(): CountedStore;
}

/** Whether what is done now and then is done. */
type Chance = 'likely' | 'unlikely';

interface Parts {
  readonly chance: Chance;
  readonly table: MemoryTable;
  readonly objects: MemoryObjects;
  readonly clock: ManualClock;
}

export function openCountedStore(chance: Chance = 'unlikely'): CountedStore {
  return openOn({
    chance,
    table: createMemoryTable(),
    objects: createMemoryObjects(),
    clock: createManualClock(START_MS),
  });
}

function openOn({ chance, ...parts }: Parts): CountedStore {
  const { table, objects } = parts;
  const store = createAwsStore({
    ...parts,
    random: withChance(chance),
    meter: createPrometheusMeter(),
    telemetry: {
      // It would be told to the operators only: here it fails the test.
      error(event, details) {
        throw new Error(event, { cause: details['error'] });
      },
    },
  });
  return {
    ...store,
    ...parts,
    another: () => openOn({ chance, ...parts }),
    async costOf(run) {
      const [before, calls] = [table.costs.length, { ...objects.calls }];
      await run();
      const costs = table.costs.slice(before);
      return {
        puts: objects.calls.put - calls.put,
        gets: objects.calls.get - calls.get,
        writeUnits: costs.reduce((sum, { writeUnits }) => sum + writeUnits, 0),
        readUnits: costs.reduce((sum, { readUnits }) => sum + readUnits, 0),
      };
    },
  };
}

function withChance(chance: Chance): Random {
  const random = createSystemRandom();
  const begin = (chance === 'likely' ? '0' : 'f').repeat(8);
  return { ...random, hex128: () => begin + random.hex128().slice(begin.length) };
}

/** With {@link STREAM}, about which the process knows everything. */
export async function openStream(
  settings: StreamSettings = {},
  chance: Chance = 'unlikely',
): Promise<CountedStore> {
  const store = openCountedStore(chance);
  await create(store, settings);
  await store.log.tail(STREAM);
  return store;
}

/** {@link STREAM}, unless `other` says otherwise. */
export async function create(
  { catalog }: Pick<CountedStore, 'catalog'>,
  settings: StreamSettings = {},
  other: Partial<Pick<StreamEntry, 'name' | 'streamId'>> = {},
) {
  const entry = { name: STREAM, streamId: STREAM_ID, settings, createdMs: START_MS, ...other };
  if (!(await catalog.create(entry))) throw new Error(`${entry.name} is there already`);
}

type Publishing = Pick<CountedStore, 'log' | 'clock'>;

/** An append to {@link STREAM} that was accepted now. */
export function appendTo(
  { clock }: Pick<CountedStore, 'clock'>,
  rest: Partial<Append> & { readonly name?: StreamName } = {},
): Append {
  const { name = STREAM, ...append } = rest;
  return { stream: name, timeMs: clock.nowMs(), batch: batchOf('a message'), ...append };
}

/** One commit for each, one after the other; all of them must store something. */
export async function publishEach(store: Publishing, appends: readonly Partial<Append>[]) {
  for (const append of appends) {
    await store.clock.advance(1);
    const [outcome] = await store.log.commit([appendTo(store, append)]);
    if (outcome?.kind !== 'stored') throw new Error(`not stored: ${JSON.stringify(outcome)}`);
  }
}

/** So many publishes of one unnamed message. */
export async function publishTimes(store: Publishing, times: number) {
  await publishEach(
    store,
    Array.from({ length: times }, () => ({})),
  );
}

/** The tail as somebody else left it: every process is to look at it anew. */
export async function rewriteTail(
  { table }: CountedStore,
  change: (tail: Item) => Item,
  name = STREAM,
): Promise<void> {
  const tail = await table.get(tailKey(name));
  if (tail === undefined) throw new Error(`there is no ${name}`);
  await table.put({ item: { ...tail, ...change(tail) } }, 'harmless');
}
