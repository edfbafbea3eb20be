/** How much one plan for reading past the service may be (SPEC LR7). */
import { expect, test } from 'vitest';
import { append, createStream, publish, STREAM, STREAM_ID } from '../contract/contract-steps.ts';
import { at } from '../support/batches.ts';
import { openMemoryAws } from '../support/memory-aws.ts';

const OBJECTS = 1_040;
const EVERYTHING = { streamId: STREAM_ID, end: at(OBJECTS), bytesMax: Number.MAX_SAFE_INTEGER };

test('LR7: a plan over any number of small objects names a thousand and reads no further', async () => {
  const store = openMemoryAws();
  await createStream(store);
  for (let n = 0; n < OBJECTS; n++) await publish(store, append(['']));
  await store.log.tail(STREAM);
  const before = store.table.costs.length;
  const plan = await store.directReads.plan({ ...EVERYTHING, from: at(0) }, 1);

  expect(plan).toHaveLength(1_000);
  expect(plan.at(-1)).toMatchObject({ start: 999, end: 1_000 });
  expect(store.table.costs.slice(before)).toHaveLength(1 + Math.ceil((1_000 / 16 - 1) / 9));
  expect(await store.directReads.plan({ ...EVERYTHING, from: at(1_000) }, 1)).toHaveLength(40);
});
