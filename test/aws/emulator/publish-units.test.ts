/** What DynamoDB says that publishes are charged: the emulator counts by itself, from the items it stores. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAwsStore as openStore, type AwsStore as Store } from '../../../lib/aws/aws-store.ts';
import { createPrometheusMeter } from '../../../lib/http/prometheus-meter.ts';
import type { Append } from '../../../lib/ports/log-store.ts';
import { createSystemRandom } from '../../../lib/process/system-random.ts';
import {
  OPERATION_UNITS,
  PUBLISHES_PER_SPILL,
  publishWriteUnits,
} from '../../../scripts/cost/operation-units.ts';
import { START_MS } from '../../support/api.ts';
import { type AwsStore, createAwsStore } from '../../support/aws-store.ts';
import { idOf, publisherName } from '../../support/batches.ts';
import { parseExposition } from '../../support/exposition.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import {
  appendTo,
  create,
  publishEach,
  publishTimes,
  STREAM,
  STREAM_ID,
} from '../cost-budget/counted-store.ts';

const { publish, spill, firstOfPublisher, createStream, deleteStream } = OPERATION_UNITS;

let resources: AwsStore;
beforeAll(async () => {
  resources = await createAwsStore();
});
afterAll(() => resources.drop());

/** A process of its own, so that what it counts is what its store was charged. */
function openCharged() {
  const meter = createPrometheusMeter();
  const { table, objects } = resources.connect({ meter });
  const clock = createManualClock(START_MS);
  const random = createSystemRandom();
  const telemetry = {
    error(event: string, { error: cause }: { readonly error?: unknown }) {
      throw new Error(event, { cause });
    },
  };
  // Metrics of the store itself are of no interest here.
  const own = { meter: createPrometheusMeter(), telemetry, clock, random };
  const store: Store = openStore({ table, objects, ...own });
  const charged = () =>
    parseExposition(meter.exposition())
      .get('varve_aws_consumed_units_total')
      ?.samples.get('varve_aws_consumed_units_total{kind="write"}') ?? 0;
  return { ...store, clock, charged };
}

type Charged = ReturnType<typeof openCharged>;

async function unitsOf(store: Charged, run: () => Promise<unknown>): Promise<number> {
  const before = store.charged();
  await run();
  return store.charged() - before;
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function by(number: number, id: number): Partial<Append> {
  return { publisher: { name: publisherName(`publisher-${number}`), ids: [id] } };
}

test('the life of a stream is charged as bills are made', async () => {
  const store = openCharged();
  const publishes = (times: number) => () => publishTimes(store, times);

  const charged = {
    created: await unitsOf(store, () => create(store)),
    fifteen: await unitsOf(store, publishes(PUBLISHES_PER_SPILL - 1)),
    spilling: await unitsOf(store, publishes(1)),
    together: await unitsOf(store, () =>
      store.log.commit(Array.from({ length: 64 }, () => appendTo(store))),
    ),
    firstOfPublisher: await unitsOf(store, () => publishEach(store, [by(0, 1)])),
    nextOfPublisher: await unitsOf(store, () => publishEach(store, [by(0, 2)])),
    deleted: await unitsOf(store, () => store.catalog.remove(STREAM, STREAM_ID)),
  };

  expect(charged).toEqual({
    created: createStream.writeUnits,
    fifteen: (PUBLISHES_PER_SPILL - 1) * publish.writeUnits,
    spilling: publish.writeUnits + spill.writeUnits,
    together: publish.writeUnits,
    firstOfPublisher: publish.writeUnits + firstOfPublisher.writeUnits,
    nextOfPublisher: publish.writeUnits,
    deleted: deleteStream.writeUnits,
  });
});

test.each([8, 12, 31])(
  'with %i publishers each publish is charged as bills are made',
  async (count) => {
    const store = openCharged();
    await create(store, {}, { streamId: idOf(count) });
    await publishEach(
      store,
      numbers(count).map((number) => by(number, 1)),
    );

    const units: number[] = [];
    for (const number of numbers(PUBLISHES_PER_SPILL)) {
      const append = by(number % count, 2 + number);
      units.push(await unitsOf(store, () => publishEach(store, [append])));
    }

    // One of them spills: an index item, and once more the tail.
    const dearest = publishWriteUnits(count);
    const [spilling = 0, ...others] = units.toSorted((a, b) => b - a);
    expect(Math.max(...others)).toBeLessThanOrEqual(dearest);
    expect(spilling).toBeLessThanOrEqual(2 * dearest + 1);
    await store.catalog.remove(STREAM, idOf(count));
  },
);
