/**
 * Calls to a thread that does the jobs it is sent in their order. When the thread dies, nobody knows what
 * became of the calls under way, and later ones are refused.
 */
import { Worker } from 'node:worker_threads';
import { StoreError } from '../ports/store-error.ts';
import { fromFault, type ThreadAnswer } from './write-job.ts';

interface Call {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export interface ThreadSettings {
  /** Who it is in what is told of it. */
  readonly name: string;
  /** What the thread runs, and what it is given to begin with. */
  readonly entry: URL;
  readonly data: unknown;
  /** Hears of what failed that nobody called for. */
  failed(error: Error): void;
}

export class ThreadCalls<Job> {
  readonly #worker: Worker;
  readonly #calls = new Map<number, Call>();
  readonly #ready = Promise.withResolvers<void>();
  readonly #exited = Promise.withResolvers<void>();
  readonly #settings: ThreadSettings;
  #lastId = 0;
  /** Set once the thread is gone. */
  #death: Error | undefined;

  constructor(settings: ThreadSettings) {
    this.#settings = settings;
    this.#worker = new Worker(settings.entry, { workerData: settings.data });
    this.#worker.on('message', (answer: ThreadAnswer) => this.#answer(answer));
    this.#worker.on('error', (error) => this.#die(error));
    this.#worker.on('exit', (code) => {
      this.#die(new Error(`the ${settings.name} thread ended with code ${code}`));
      this.#exited.resolve();
    });
  }

  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get isDead(): boolean {
    return this.#death !== undefined;
  }

  /** The result is what the thread made of this kind of job. */
  call<Result>(job: Job, transfer: readonly ArrayBuffer[] = []): Promise<Result> {
    if (this.#death !== undefined) return Promise.reject(this.#gone('none'));
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const id = ++this.#lastId;
    this.#calls.set(id, { resolve, reject });
    this.#worker.postMessage({ id, job }, transfer);
    return promise as Promise<Result>;
  }

  /** Resolves when the thread has ended by itself. */
  get exited(): Promise<void> {
    return this.#exited.promise;
  }

  /** Ends it in the middle of what it does. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #answer(answer: ThreadAnswer): void {
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
        this.#settings.failed(fromFault(answer.fault));
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
    const message = `the ${this.#settings.name} stopped`;
    return new StoreError(message, { kind: 'unavailable', sideEffects, cause });
  }
}
