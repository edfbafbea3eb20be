/**
 * A writer in a thread of its own: syncing to disk and compression hold up nobody else. When the thread
 * dies, nobody knows what became of the calls under way, and later ones are refused.
 */
import { Worker } from 'node:worker_threads';
import { StoreError } from '../ports/store-error.ts';
import { packCommit, unpackOutcomes } from './packed-commit.ts';
import type { StoreWriter } from './store-writer.ts';
import { fromFault, type WriteAnswer, type WriteJob } from './write-job.ts';

/** A large buffer is handed over; a small one is cheaper to copy. */
const COPIED_BYTES_MAX = 64 * 1024;

interface Call {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export interface ThreadOptions {
  /** The file of the database, which the thread opens for itself. */
  readonly location: string;
  readonly sweepFailed: (error: unknown) => void;
  /** What the thread runs. */
  readonly entry?: URL;
}

/** Resolves when the thread has opened the database. */
export async function startThreadWriter(options: ThreadOptions): Promise<StoreWriter> {
  const thread = new WriterThread(options);
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
    remove: (stream, streamId) => thread.call({ kind: 'remove', stream, streamId }),
    close: () => thread.close(),
  };
}

class WriterThread {
  readonly #worker: Worker;
  readonly #calls = new Map<number, Call>();
  readonly #ready = Promise.withResolvers<void>();
  readonly #exited = Promise.withResolvers<void>();
  readonly #sweepFailed: (error: unknown) => void;
  #lastId = 0;
  /** Set once the thread is gone. */
  #death: Error | undefined;

  constructor({ location, sweepFailed, entry }: ThreadOptions) {
    this.#sweepFailed = sweepFailed;
    this.#worker = new Worker(entry ?? new URL('./writer-thread.ts', import.meta.url), {
      workerData: location,
    });
    this.#worker.on('message', (answer: WriteAnswer) => this.#answer(answer));
    this.#worker.on('error', (error) => this.#die(error));
    this.#worker.on('exit', (code) => {
      this.#die(new Error(`the writer thread ended with code ${code}`));
      this.#exited.resolve();
    });
  }

  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** The result is what the thread's `LogWriter` returned for this kind of job. */
  call<Result>(job: WriteJob, transfer: readonly ArrayBuffer[] = []): Promise<Result> {
    if (this.#death !== undefined) return Promise.reject(this.#gone('none'));
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const id = ++this.#lastId;
    this.#calls.set(id, { resolve, reject });
    this.#worker.postMessage({ id, job }, transfer);
    return promise as Promise<Result>;
  }

  /** The jobs already sent are done first. */
  async close(): Promise<void> {
    try {
      if (this.#death === undefined) await this.call({ kind: 'close' });
    } finally {
      await this.#exited.promise;
    }
  }

  #answer(answer: WriteAnswer): void {
    switch (answer.kind) {
      case 'ready':
        this.#ready.resolve();
        break;
      case 'done':
        this.#take(answer.id)?.resolve(answer.result);
        break;
      case 'failed':
        this.#take(answer.id)?.reject(fromFault(answer.fault));
        break;
      case 'sweep-failed':
        this.#sweepFailed(fromFault(answer.fault));
        break;
    }
  }

  #take(id: number): Call | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }

  #die(cause: unknown): void {
    this.#death ??= cause instanceof Error ? cause : new Error(String(cause));
    this.#ready.reject(this.#death);
    for (const call of this.#calls.values()) call.reject(this.#gone('possible'));
    this.#calls.clear();
  }

  #gone(sideEffects: 'none' | 'possible'): StoreError {
    const cause = this.#death;
    return new StoreError('the writer stopped', { kind: 'unavailable', sideEffects, cause });
  }
}
