/**
 * The publishing ids of a named publisher (SPEC D2, D3): given with the messages, or counted on from the
 * highest that the stream remembers. A name is counted by one publisher at a time.
 */
import { badAnswer, ClientError, invalid } from './client-error.ts';
import type { DeliveryTarget, DeliveryTools } from './publish-delivery.ts';
import { retried } from './retry.ts';
import { streamPath } from './transport.ts';

export class PublishingSequence {
  readonly #tools: DeliveryTools;
  readonly #target: DeliveryTarget;
  readonly #isFirstGiven: boolean;
  /** The one behind the last that was taken; undefined until the stream was asked. */
  #next: number | undefined;
  #lastGiven: number | undefined;
  #mode: 'undecided' | 'given' | 'counted' = 'undecided';

  constructor(tools: DeliveryTools, target: DeliveryTarget, firstId: number | undefined) {
    this.#tools = tools;
    this.#target = target;
    this.#isFirstGiven = firstId !== undefined;
    this.#next = firstId;
  }

  /** Whether the ids were counted from what the stream said: nobody else may have used one then. */
  isContinued(): boolean {
    return this.#mode === 'counted' && !this.#isFirstGiven;
  }

  /** Checks what comes with a message; called in the order in which they are published. */
  admit(given: number | undefined): void {
    const mode = given === undefined ? 'counted' : 'given';
    if (this.#mode !== 'undecided' && this.#mode !== mode) {
      throw invalid('publishingId', 'give publishingId with every message or with none');
    }
    if (given !== undefined) this.#admitGiven(given);
    this.#mode = mode;
  }

  #admitGiven(id: number): void {
    if (!Number.isSafeInteger(id) || id < 0) {
      throw invalid('publishingId', 'publishingId must be an integer from 0 to 2^53 - 1');
    }
    if (this.#lastGiven !== undefined && id <= this.#lastGiven) {
      throw invalid('publishingId', `publishing ids must rise: ${id} after ${this.#lastGiven}`);
    }
    this.#lastGiven = id;
  }

  /** The first of `count` ids in a row, taken for good: that of a refused message is not used again. */
  async take(count: number): Promise<number> {
    const first = this.#next ?? (await this.#highest()) + 1;
    this.#next = first + count;
    return first;
  }

  /** -1 when the stream does not know the name. */
  async #highest(): Promise<number> {
    const { stream, name = '', create } = this.#target;
    const { transport, retrying, signal } = this.#tools;
    const path = streamPath(stream, 'publishers', name);
    try {
      const answer = await retried(retrying, signal, () =>
        transport.exchange({ method: 'GET', path, signal }),
      );
      return parseHighest(answer.bytes);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      if (error.code === 'publisher_not_found') return -1;
      if (error.code === 'stream_not_found' && create) return -1;
      throw error;
    }
  }
}

function parseHighest(bytes: Uint8Array): number {
  const id = /"publishing_id":([0-9]{1,16})[,}]/.exec(new TextDecoder().decode(bytes))?.[1];
  if (id !== undefined && Number.isSafeInteger(Number(id))) return Number(id);
  throw badAnswer('the publisher has no publishing_id');
}
