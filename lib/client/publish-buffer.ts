/** What a publisher has taken and not yet settled: those that wait to be sent, in order, and how much room is left. */
import { REQUEST_BYTES_MAX } from '../wire/request-limits.ts';
import { type BatchEntry, batchCount, entryBytes, type Published } from './publish-batch.ts';

export interface PublishEntry extends BatchEntry {
  resolve(published: Published): void;
  reject(error: unknown): void;
}

/** What a waiting message takes beside its bytes, roughly: empty ones must not be free. */
const ENTRY_OVERHEAD_BYTES = 256;

export class PublishBuffer {
  readonly #bytesMax: number;
  readonly #messagesMax: number;
  #waiting: PublishEntry[] = [];
  /** Of those that wait, as a request counts them. */
  #waitingBytes = 0;
  /** Of those that wait or are under way. */
  #heldBytes = 0;
  #roomSeekers: (() => void)[] = [];

  constructor(limits: { readonly bytesMax: number; readonly messagesMax: number }) {
    this.#bytesMax = limits.bytesMax;
    this.#messagesMax = limits.messagesMax;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Whether waiting longer would not make the next request larger. */
  get fillsBatch(): boolean {
    return this.#waiting.length >= this.#messagesMax || this.#waitingBytes >= REQUEST_BYTES_MAX;
  }

  get isFull(): boolean {
    return this.#heldBytes >= this.#bytesMax;
  }

  /** Those who were told of room at the same time may all use it, but not without end. */
  get isOverfull(): boolean {
    return this.#heldBytes >= 2 * this.#bytesMax;
  }

  add(entry: PublishEntry): void {
    this.#waiting.push(entry);
    this.#waitingBytes += entryBytes(entry);
    this.#heldBytes += heldBytes(entry);
  }

  /** The next request's messages; they go on to take room. */
  takeBatch(): readonly PublishEntry[] {
    const batch = this.#waiting.splice(0, batchCount(this.#waiting, this.#messagesMax));
    this.#waitingBytes -= batch.reduce((sum, entry) => sum + entryBytes(entry), 0);
    return batch;
  }

  takeAll(): readonly PublishEntry[] {
    const all = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    return all;
  }

  /** Gives back the room of messages that have their outcome. */
  release(entries: readonly PublishEntry[]): void {
    this.#heldBytes -= entries.reduce((sum, entry) => sum + heldBytes(entry), 0);
    if (this.isFull) return;
    const seekers = this.#roomSeekers;
    this.#roomSeekers = [];
    for (const resume of seekers) resume();
  }

  async room(): Promise<void> {
    while (this.isFull) await new Promise<void>((resolve) => this.#roomSeekers.push(resolve));
  }
}

function heldBytes({ record }: BatchEntry): number {
  return record.length + ENTRY_OVERHEAD_BYTES;
}
