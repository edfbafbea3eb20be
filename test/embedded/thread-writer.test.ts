import { describe, expect, test } from 'vitest';
import { openFolder } from '../../lib/embedded/embedded-store.ts';
import { startThreadWriter } from '../../lib/embedded/thread-writer.ts';
import { StoreError } from '../../lib/ports/store-error.ts';
import { createSystemClock } from '../../lib/process/system-clock.ts';
import { at, batchOf, idOf, publisherName, streamName } from '../support/batches.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const S = streamName('s');
const append = { stream: S, batch: batchOf('x'), timeMs: 1, createAs: idOf(1) };
const clock = createSystemClock();
const options = { packBytesMin: 0, sweepFailed: () => {} };

describe('a writer thread that dies', () => {
  const entry = new URL('./dying-writer.ts', import.meta.url);

  test('P7: leaves open what became of the calls under way, and refuses later ones', async () => {
    const writer = await startThreadWriter({ location: 'after 2 jobs', ...options, entry });
    const calls = [writer.commit([append]), writer.trim(idOf(1), 'next'), writer.commit([append])];
    const lost = await Promise.allSettled(calls);

    expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    for (const call of lost) {
      const reason = call.status === 'rejected' ? call.reason : undefined;
      expect(reason).toBeInstanceOf(StoreError);
      expect(reason).toMatchObject({ kind: 'unavailable', sideEffects: 'possible' });
      expect(reason.cause.message).toBe('the thread had enough');
    }
    await expect(writer.commit([append])).rejects.toMatchObject({
      kind: 'unavailable',
      sideEffects: 'none',
    });
    await writer.close();
  });

  test('before it is ready is an error of whoever starts it', async () => {
    const started = startThreadWriter({ location: 'at once', ...options, entry });

    await expect(started).rejects.toThrow('the thread had enough');
  });
});

describe('a writer thread', () => {
  test('leaves the buffers of its callers as they are', async () => {
    using folder = temporaryFolder();
    const store = await openFolder({ folder: folder.path, writer: 'worker', clock });
    // A slice of a pool that other requests use too.
    const pool = Buffer.from(`before${' '.repeat(10)}after`);
    const records = pool.subarray(6, 16);
    records.set(batchOf('12345678').records);
    const batch = { ...batchOf('12345678'), records };
    const pending = store.log.commit([{ ...append, batch }, append]);
    records.fill(0);
    await pending;

    expect(pool.toString('latin1')).toBe(`before${'\0'.repeat(10)}after`);
    const range = { streamId: idOf(1), from: at(0), end: at(2), bytesMax: 100 };
    const chunks = await store.log.readChunks(range);
    expect(chunks.map((chunk) => chunk.records)).toEqual([
      batchOf('12345678').records,
      batchOf('x').records,
    ]);
    await store.close();
  });

  test('tells of errors what they say, and of faults what they were', async () => {
    using folder = temporaryFolder();
    const store = await openFolder({ folder: folder.path, writer: 'worker', clock });
    const publisher = { name: publisherName('p'), ids: [1] };
    const broken = { ...append, batch: { ...append.batch, count: 0 }, publisher };

    const failure = await store.log.commit([broken]).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(StoreError);
    expect(String(failure)).toContain('an append without a message');
    expect(await store.log.tail(S)).toBeUndefined();
    await store.close();
  });

  test('P2: does what it was given before it ends', async () => {
    using folder = temporaryFolder();
    const store = await openFolder({ folder: folder.path, writer: 'worker', clock });
    const pending = Array.from({ length: 20 }, () => store.log.commit([append]));
    await store.close();

    expect(await Promise.all(pending)).toHaveLength(20);
    const again = await openFolder({ folder: folder.path, writer: 'worker', clock });
    expect(await again.log.tail(S)).toMatchObject({ next: 20 });
    await again.close();
  });

  test.each(['inline', 'worker'] as const)(
    'P7: a closed store refuses, written %s',
    async (writer) => {
      using folder = temporaryFolder();
      const store = await openFolder({ folder: folder.path, writer, clock });
      await store.close();
      await store.close();
      const refusal = { kind: 'unavailable', sideEffects: 'none', message: 'the store is closed' };

      await expect(store.log.commit([append])).rejects.toMatchObject(refusal);
      await expect(store.log.tail(S)).rejects.toMatchObject(refusal);
      await expect(store.catalog.remove(S, idOf(1))).rejects.toMatchObject(refusal);
    },
  );
});
