/** A process that opens a folder, says so, and keeps it until it is killed. */
import { openFolder } from '../../lib/embedded/embedded-store.ts';
import { createSystemClock } from '../../lib/process/system-clock.ts';

await openFolder({
  folder: process.argv[2] ?? '',
  writer: 'inline',
  clock: createSystemClock(),
});
process.stdout.write('open\n');
setInterval(() => {}, 1_000_000);
