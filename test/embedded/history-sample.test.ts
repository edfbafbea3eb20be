import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openReadOnly } from '../../lib/embedded/database.ts';
import { openFolder } from '../../lib/embedded/embedded-store.ts';
import { HistorySample } from '../../lib/embedded/history-sample.ts';
import { SegmentFiles } from '../../lib/embedded/segment-files.ts';
import { createSystemClock } from '../../lib/process/system-clock.ts';
import { append, createStream, publish } from '../contract/contract-steps.ts';
import { batchOfSize } from '../support/batches.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const NEVER = new AbortController().signal;

/** With so many packed segments of a block each. */
async function prepare(segments: number) {
  const folder = temporaryFolder();
  const store = await openFolder({
    folder: folder.path,
    clock: createSystemClock(),
    writer: 'inline',
    packing: { segmentBytesMin: 0 },
  });
  await createStream(store, { segment_max_bytes: 1_000 });
  for (let n = 0; n <= segments; n++) await publish(store, append(batchOfSize(10, 100)));
  await store.maintenance.run(NEVER);
  const database = openReadOnly(join(folder.path, 'varve.db'));
  onTestFinished(async () => {
    database.close();
    await store.close();
    folder[Symbol.dispose]();
  });
  const sample = new HistorySample(database, new SegmentFiles(folder.path));
  const files = () =>
    segments === 0
      ? []
      : readdirSync(join(folder.path, 'segments', '1')).map((name) =>
          join(folder.path, 'segments', '1', name),
        );
  return { sample, files };
}

/** Each looks at one that chance picks. */
function faultsOf(sample: HistorySample, looks: number): readonly (Error | undefined)[] {
  return Array.from({ length: looks }, () => sample.fault());
}

test('T14: a sample of a sound history tells nothing', async () => {
  expect(faultsOf((await prepare(3)).sample, 20)).toEqual(Array(20).fill(undefined));
  expect((await prepare(0)).sample.fault()).toBeUndefined();
});

test('T14: damage is met sooner or later, and names the file', async () => {
  const { sample, files } = await prepare(3);
  const [damaged = '', gone = ''] = files();
  const bytes = readFileSync(damaged);
  bytes[30] = (bytes[30] ?? 0) ^ 0xff;
  writeFileSync(damaged, bytes);
  rmSync(gone);
  const told = faultsOf(sample, 200).flatMap((fault) => fault?.message ?? []);

  expect(told.length).toBeGreaterThan(20);
  expect(told.length).toBeLessThan(200);
  expect(told.some((message) => message.includes('segments/1/'))).toBe(true);
  expect(told.some((message) => message.includes('no file for messages'))).toBe(true);
});
