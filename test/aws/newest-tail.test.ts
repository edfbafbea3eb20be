/** Answers that arrive in another order than they were given: nobody is shown what was seen to be old. */
import { expect, test } from 'vitest';
import type { Table } from '../../lib/aws/table.ts';
import { append, createStream, publish, STREAM } from '../contract/contract-steps.ts';
import { settle } from '../support/manual-clock.ts';
import { openMemoryAws } from '../support/memory-aws.ts';

/** Holds the answer to one read of a tail back until it is let go. */
function createHeldAnswer() {
  const held = Promise.withResolvers<void>();
  let isArmed = false;
  const layer = (table: Table): Table => ({
    ...table,
    async get(key) {
      const isHeld = isArmed && key.s === 't';
      if (isHeld) isArmed = false;
      const item = await table.get(key);
      if (isHeld) await held.promise;
      return item;
    },
  });
  return { layer, arm: () => (isArmed = true), letGo: held.resolve };
}

test('LR1 LR2: a reader whose answer was overtaken sees what the others see', async () => {
  const writer = openMemoryAws();
  await createStream(writer);
  const answer = createHeldAnswer();
  const reader = writer.another({ table: answer.layer });
  await reader.log.tail(STREAM);

  answer.arm();
  const overtaken = reader.log.tail(STREAM);
  await settle();
  await publish(reader, append(['a']));
  answer.letGo();

  // Else it would wait at the old end, and the poll that knows the new one would see no change.
  expect(await overtaken).toMatchObject({ next: 1 });
});

test('P8: who asks while a read is under way is shown what came since that began', async () => {
  const writer = openMemoryAws();
  await createStream(writer);
  const answer = createHeldAnswer();
  const reader = writer.another({ table: answer.layer });
  answer.arm();
  const first = reader.log.tail(STREAM);
  await settle();
  await publish(writer, append(['a']));
  const before = writer.table.costs.length;
  const others = Array.from({ length: 100 }, () => reader.log.tail(STREAM));
  await settle();
  answer.letGo();

  expect(await first).toMatchObject({ next: 0 });
  for (const other of others) expect(await other).toMatchObject({ next: 1 });
  expect(writer.table.costs.length - before).toBeLessThanOrEqual(2);
});
