/** Commits eight times, one after the other, and prints what became of each; then opens the folder anew. */
import { openFolder } from '../../../lib/embedded/embedded-store.ts';
import { StoreError } from '../../../lib/ports/store-error.ts';
import { createSystemClock } from '../../../lib/process/system-clock.ts';
import { batchOf, idOf, streamName } from '../../support/batches.ts';

const folder = process.argv[2] ?? '';
const clock = createSystemClock();
const stream = streamName('s');
const append = { stream, batch: batchOf('x'), timeMs: 1, createAs: idOf(1) };

const outcomes: unknown[] = [];
const store = await openFolder({ folder, writer: 'inline', clock });
for (let round = 0; round < 8; round++) {
  try {
    outcomes.push(...(await store.log.commit([append])));
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    outcomes.push({ kind: error.kind, sideEffects: error.sideEffects });
  }
}
const tail = await store.log.tail(stream);
await store.close();

const again = await openFolder({ folder, writer: 'inline', clock });
const tailAgain = await again.log.tail(stream);
await again.close();
process.stdout.write(JSON.stringify([outcomes, tail?.next, tailAgain?.next]));
