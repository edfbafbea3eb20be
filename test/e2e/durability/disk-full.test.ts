/** What happens when the disk is full, on a small disk of its own. Needs root, to mount one. */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmbeddedStore, openFolder } from '../../../lib/embedded/embedded-store.ts';
import { createSystemClock } from '../../../lib/process/system-clock.ts';
import { at, batchOf, idOf, streamName } from '../../support/batches.ts';
import { noise } from '../../support/noise.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts';

const KIB = 1024;
const S = streamName('s');
/** One message as the store sees it, which takes all its room. */
const large = { ...batchOf('x'), records: noise(256 * KIB) };
const append = { stream: S, batch: large, timeMs: 1, createAs: idOf(1) };

let disk: TemporaryFolder;
beforeEach(() => {
  disk = temporaryFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk.path]);
});
afterEach(() => {
  execFileSync('umount', [disk.path]);
  disk[Symbol.dispose]();
});

describe.each(['inline', 'worker'] as const)('a full disk, written %s', (writer) => {
  const open = () =>
    openFolder({ folder: join(disk.path, 'data'), writer, clock: createSystemClock() });

  test('P7: refuses appends with nothing stored, while trims make room for new ones', async () => {
    const store = await open();
    const stored = await fill(store);
    expect(stored).toBeGreaterThan(10);
    expect(await store.log.tail(S)).toMatchObject({ first: 0, next: stored });

    expect(await store.log.trim(idOf(1), 'next')).toMatchObject({ dropped: stored });
    await expect.poll(() => publishes(store), { timeout: 20_000 }).toBe(true);
    expect(await store.log.tail(S)).toMatchObject({ first: stored, next: stored + 1 });
    await store.close();
  });

  test('P7: lets nothing in that is large or small, and goes on when there is room again', async () => {
    const store = await open();
    await store.log.commit([append]);
    const ballast = join(disk.path, 'ballast');
    fillWithBallast(ballast);

    const refusal = { kind: 'unavailable', sideEffects: 'none' };
    await expect(store.log.commit([append])).rejects.toMatchObject(refusal);
    const entries = Array.from({ length: 200 }, (_, n) => {
      const name = streamName(`s${n}`.padEnd(200, '.'));
      return { name, streamId: idOf(100 + n), settings: {}, createdMs: 1 };
    });
    const created = await Promise.allSettled(entries.map((entry) => store.catalog.create(entry)));
    const refused = created.find(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({ reason: { ...refusal, message: 'the disk is full' } });
    expect(await store.log.tail(S)).toMatchObject({ next: 1 });
    const range = { streamId: idOf(1), from: at(0), end: at(1), bytesMax: 1 };
    expect(await store.log.readChunks(range)).toMatchObject([{ records: large.records }]);

    rmSync(ballast);
    expect(await publishes(store)).toBe(true);
    await store.close();
    const again = await open();
    expect(await again.log.tail(S)).toMatchObject({ next: 2 });
    const listed = await again.catalog.list({ prefix: 's', startAfter: 's', limit: 1_000 });
    const acknowledged = created.filter(({ status }) => status === 'fulfilled');
    expect(listed).toHaveLength(acknowledged.length);
    await again.close();
  });
});

/** Publishes until it is refused, and returns how often it was not. */
async function fill(store: EmbeddedStore): Promise<number> {
  for (let stored = 0; stored < 1_000; stored++) {
    const failure = await store.log.commit([append]).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure === undefined) continue;
    expect(failure).toMatchObject({ kind: 'unavailable', sideEffects: 'none' });
    return stored;
  }
  throw new Error('the disk was never full');
}

async function publishes(store: EmbeddedStore): Promise<boolean> {
  return await store.log.commit([append]).then(
    () => true,
    () => false,
  );
}

/** Takes what room there is. */
function fillWithBallast(file: string): void {
  for (const bytes of [KIB * KIB, 4 * KIB]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' });
    } catch {}
  }
}
