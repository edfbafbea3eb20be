/** What it costs to remove what describes dropped messages. Objects are deleted for nothing. */
import { expect, test } from 'vitest';
import {
  OPERATION_UNITS,
  PUBLISHES_PER_SPILL,
  sumUnits,
} from '../../../scripts/cost/operation-units.ts';
import { at, batchOf } from '../../support/batches.ts';
import { openStream, publishEach, STREAM_ID } from './counted-store.ts';

const { removeIndexItem, removeSegment, removalPass } = OPERATION_UNITS;
/** Upkeep that is due is done behind an hour of grace; segments that ended are looked at before. */
const [FIVE_SECONDS_MS, TWO_HOURS_MS] = [5_000, 7_200_000];

test.each([1, 10])('%i index items of a dropped segment are a unit each', async (items) => {
  const batch = batchOf('x'.repeat(100));
  const publishes = items * PUBLISHES_PER_SPILL - 1;
  const store = await openStream({ segment_max_bytes: publishes * batch.bytes });
  await publishEach(
    store,
    Array.from({ length: publishes + 1 }, () => ({ batch })),
  );
  await store.log.trim(STREAM_ID, at(publishes));
  const run = () => store.maintenance.run(new AbortController().signal);
  await store.clock.advance(FIVE_SECONDS_MS);
  await run();
  await store.clock.advance(TWO_HOURS_MS);

  const { writeUnits } = await store.costOf(run);

  const removed = sumUnits([
    [removeIndexItem, items],
    [removeSegment, 1],
    [removalPass, 1],
  ]);
  expect(writeUnits).toBe(removed.writeUnits);
  expect(store.objects.names()).toHaveLength(1);
});
