/** `npm run cost`: what a month of a workload costs, on Varve and elsewhere, at published prices. */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { costReport } from './report.ts';
import { FLAG_DEFAULTS, parseWorkload } from './workload.ts';

const USAGE = `npm run cost -- [flags], all of them with a default:
  --messages-per-second N   on all streams together (${FLAG_DEFAULTS['messages-per-second']})
  --size BYTES              of a message, such as 512 or 4KiB (${FLAG_DEFAULTS.size})
  --batch N                 messages of one publish (${FLAG_DEFAULTS.batch})
  --streams N               (${FLAG_DEFAULTS.streams})
  --readers N               each reads every stream (${FLAG_DEFAULTS.readers})
  --read-every DURATION     how often a reader looks for what is new (${FLAG_DEFAULTS['read-every']})
  --retention DURATION      how long messages are kept (${FLAG_DEFAULTS.retention})
  --publishers N            named ones, on each stream (${FLAG_DEFAULTS.publishers})
  --memory MB               of the function that serves the API (${FLAG_DEFAULTS.memory})
  --help
`;

function main(): void {
  const flag = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      'messages-per-second': flag,
      size: flag,
      batch: flag,
      streams: flag,
      readers: flag,
      'read-every': flag,
      retention: flag,
      publishers: flag,
      memory: flag,
      help: { type: 'boolean', default: false },
    },
  });
  const { help, ...flags } = values;
  if (help) {
    process.stdout.write(USAGE);
    return;
  }
  const parsed = parseWorkload(flags);
  if (parsed.kind === 'reject') throw new Error(parsed.reason);
  process.stdout.write(costReport(parsed.workload));
}

try {
  main();
} catch (error) {
  process.stderr.write(`cost: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
