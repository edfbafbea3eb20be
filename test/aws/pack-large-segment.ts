/**
 * Packs a segment of 64 MiB as the function that maintains a store does, and says how much memory it took:
 * `node pack-large-segment.ts <KiB of a publish>`. Neither the bucket nor a cache holds any of the bytes.
 */
import { randomFillSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { createAwsStore } from '../../lib/aws/aws-store.ts';
import type { Objects } from '../../lib/aws/objects.ts';
import { encodeChunkObject } from '../../lib/format/chunk-object.ts';
import { createPrometheusMeter } from '../../lib/http/prometheus-meter.ts';
import { createSystemRandom } from '../../lib/process/system-random.ts';
import { append, createStream, publish } from '../contract/contract-steps.ts';
import { createMemoryObjects } from '../simulation/memory-objects.ts';
import { createMemoryTable } from '../simulation/memory-table.ts';
import { batchOf } from '../support/batches.ts';
import { createManualClock } from '../support/manual-clock.ts';

const SEGMENT_BYTES = 64 * 1024 * 1024;
const bodyBytes = Number(process.argv[2]) * 1024;
const clock = createManualClock(1e12);
const pieces: number[] = [];

const batch = batchOf(new Uint8Array(bodyBytes));

/** Each is of other bytes, which do not shrink: the body is what a record ends with. */
function chunkObject(): Uint8Array {
  randomFillSync(batch.records, batch.records.length - bodyBytes);
  return encodeChunkObject([{ ...batch, timeMs: clock.nowMs() }]);
}

const objects: Objects = {
  ...createMemoryObjects(),
  async put(name, bytes) {
    if (name.includes('/s/')) pieces.push(bytes.length);
  },
  get: async () => chunkObject(),
};

async function main(): Promise<void> {
  const store = createAwsStore({
    table: createMemoryTable(),
    objects,
    clock,
    random: createSystemRandom(),
    meter: createPrometheusMeter(),
    telemetry: {
      error(event, details) {
        throw new Error(event, { cause: details });
      },
    },
    cacheBytes: 1,
  });
  await createStream(store);
  const one = append(batch, { timeMs: clock.nowMs() });
  for (let n = 0; n <= SEGMENT_BYTES / bodyBytes; n++) await publish(store, one);
  await clock.advance(5_000);
  const { done, failed } = await store.maintenance.run(new AbortController().signal);
  const peak = /VmHWM:\s+([0-9]+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  process.stdout.write(JSON.stringify({ done, failed, pieces, peakMib: Number(peak) / 1024 }));
}

await main();
