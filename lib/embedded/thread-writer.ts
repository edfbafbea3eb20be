/** A writer in a thread of its own: syncing to disk and compression hold up nobody else. */
import { packCommit, unpackOutcomes } from './packed-commit.ts';
import type { StoreWriter } from './store-writer.ts';
import { ThreadCalls } from './thread-calls.ts';
import type { WriteJob } from './write-job.ts';

/** A large buffer is handed over; a small one is cheaper to copy. */
const COPIED_BYTES_MAX = 64 * 1024;

/** What crosses to the thread when it starts. */
export interface WriterThreadData {
  /** The file of the database, which the thread opens for itself. */
  readonly location: string;
  readonly packBytesMin: number;
}

export interface ThreadOptions extends WriterThreadData {
  readonly sweepFailed: (error: unknown) => void;
  /** What the thread runs. */
  readonly entry?: URL;
}

/** Resolves when the thread has opened the database. */
export async function startThreadWriter(options: ThreadOptions): Promise<StoreWriter> {
  const { location, packBytesMin, sweepFailed, entry } = options;
  const thread = new ThreadCalls<WriteJob>({
    name: 'writer',
    entry: entry ?? new URL('./writer-thread.ts', import.meta.url),
    data: { location, packBytesMin } satisfies WriterThreadData,
    failed: sweepFailed,
  });
  await thread.ready;
  return {
    commit: async (appends) => {
      const job = packCommit(appends);
      const isLarge = job.records.length > COPIED_BYTES_MAX;
      return unpackOutcomes(await thread.call<string>(job, isLarge ? [job.records.buffer] : []));
    },
    create: (entry) => thread.call({ kind: 'create', entry }),
    saveSettings: (streamId, change) => thread.call({ kind: 'settings', streamId, change }),
    setFencingToken: (streamId, token) => thread.call({ kind: 'token', streamId, token }),
    trim: (streamId, before) => thread.call({ kind: 'trim', streamId, before }),
    retain: (streamId, nowMs) => thread.call({ kind: 'retain', streamId, nowMs }),
    saveOffsets: (saves) => thread.call({ kind: 'offsets', saves }),
    removeOffset: (streamId, name) => thread.call({ kind: 'forget', streamId, name }),
    release: async (ids, appends) => {
      const job = { kind: 'release', ids, commit: packCommit(appends) } as const;
      const packed = await thread.call<string | undefined>(job);
      return packed === undefined ? undefined : unpackOutcomes(packed);
    },
    cancelHeld: (id) => thread.call({ kind: 'cancel', id }),
    changeExchange: (change) => thread.call({ kind: 'exchange', change }),
    remember: (request) => thread.call({ kind: 'remember', request }),
    savePacked: (segment) => thread.call({ kind: 'packed', segment }),
    remove: (stream, streamId) => thread.call({ kind: 'remove', stream, streamId }),
    close: () => close(thread),
  };
}

/** The jobs already sent are done first. */
async function close(thread: ThreadCalls<WriteJob>): Promise<void> {
  try {
    if (!thread.isDead) await thread.call({ kind: 'close' });
  } finally {
    await thread.exited;
  }
}
