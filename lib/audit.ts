/**
 * `npm run audit`: looks through everything that a store holds, says what is lost, damaged or left over, and
 * changes nothing. Exit code 0 when nothing is wrong, 1 when something is, 2 when it could not be looked at.
 */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { openAwsAudit } from './aws/open-aws.ts';
import { openFolderAudit } from './embedded/audit-folder.ts';
import { createPrometheusMeter } from './http/prometheus-meter.ts';
import type { Audit, AuditCounts, AuditFinding, AuditKind } from './ports/audit.ts';
import type { Clock } from './ports/clock.ts';
import { createSystemClock } from './process/system-clock.ts';
import { createSystemRandom } from './process/system-random.ts';
import { parseStore, type StoreConfig } from './store-config.ts';

/** Of one kind: the rest is counted. */
const TOLD_MAX = 100;
const PROGRESS_EVERY_MS = 5_000;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      store: { type: 'string' },
      data: { type: 'string' },
      bucket: { type: 'string' },
      table: { type: 'string' },
    },
  });
  const parsed = parseStore({ flags: values, environment: process.env });
  if (parsed.kind === 'reject') throw new Error(parsed.reason);
  const clock = createSystemClock();
  const { audit, close } = openAudit(parsed.store, clock);
  try {
    return await report(audit, clock);
  } finally {
    close();
  }
}

function openAudit(store: StoreConfig, clock: Clock): { readonly audit: Audit; close(): void } {
  if (store.kind === 'embedded') return openFolderAudit(store.data, clock);
  return openAwsAudit(store, {
    clock,
    random: createSystemRandom(),
    meter: createPrometheusMeter(),
    telemetry: { error: () => {} },
  });
}

async function report(audit: Audit, clock: Clock): Promise<number> {
  const kinds: { [Kind in AuditKind]: number } = { dangling: 0, hole: 0, corrupt: 0, orphan: 0 };
  const counts = new Counts(clock);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const watcher = {
    found: (finding: AuditFinding) => tell(finding, kinds),
    looked: (some: Partial<AuditCounts>) => counts.add(some),
  };
  await audit.run(watcher, stop.signal);
  const found = Object.entries(kinds).map(([kind, count]) => `${count} ${kind}`);
  process.stdout.write(`${counts.text()}: ${found.join(', ')}\n`);
  if (stop.signal.aborted) throw new Error('ended before everything was looked at');
  return Object.values(kinds).some((count) => count > 0) ? 1 : 0;
}

function tell({ kind, what }: AuditFinding, kinds: { [Kind in AuditKind]: number }): void {
  kinds[kind]++;
  if (kinds[kind] <= TOLD_MAX) process.stdout.write(`${kind}: ${what}\n`);
}

/** Shows now and then how far it has come. */
class Counts {
  readonly #clock: Clock;
  readonly #sums = { streams: 0, messages: 0, objects: 0, bytes: 0 };
  #shownMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#shownMs = clock.elapsedMs();
  }

  add({ streams = 0, messages = 0, objects = 0, bytes = 0 }: Partial<AuditCounts>): void {
    this.#sums.streams += streams;
    this.#sums.messages += messages;
    this.#sums.objects += objects;
    this.#sums.bytes += bytes;
    const nowMs = this.#clock.elapsedMs();
    if (nowMs - this.#shownMs < PROGRESS_EVERY_MS) return;
    this.#shownMs = nowMs;
    process.stderr.write(`${this.text()} so far\n`);
  }

  text(): string {
    const { streams, messages, objects, bytes } = this.#sums;
    return `${streams} streams, ${messages} messages, ${objects} objects, ${bytes} bytes`;
  }
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`varve audit: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 2;
  },
);
