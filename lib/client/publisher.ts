/**
 * Publishes messages in batches, in the order in which they come. Memory is bounded whatever the caller
 * does. A named publisher has one request in flight (SPEC D12); when one of its requests has no clear
 * end it publishes no more, so that no message overtakes one that may be missing.
 */
import { MESSAGES_PER_REQUEST_MAX } from '../wire/request-limits.ts';
import { ClientError, invalid } from './client-error.ts';
import { writeDelay } from './outgoing-delay.ts';
import { encodeMessage, type OutgoingMessage } from './outgoing-message.ts';
import { type BatchEntry, culprit, knownByIds, outcomes, type Published } from './publish-batch.ts';
import { PublishBuffer, type PublishEntry } from './publish-buffer.ts';
import {
  type Delivery,
  type DeliveryTarget,
  type DeliveryTools,
  deliverBatch,
} from './publish-delivery.ts';
import { PublishingSequence } from './publishing-sequence.ts';

export interface PublisherOptions extends DeliveryTarget {
  /** With a name repeats are recognised, so failed requests are tried again without doubling anything. */
  readonly name?: string;
  /** A higher one shuts out those that publish under the same name with a lower one (SPEC D11). */
  readonly epoch?: number;
  /** Of the first message; without it counting goes on behind the highest that the stream knows. */
  readonly firstId?: number;
  readonly fencingToken?: string;
  /** Creates the stream with the first message when it is missing. */
  readonly create?: boolean;
  /** How long a message waits for company while nothing is in flight. 0 by default. */
  readonly lingerMs?: number;
  /** Messages of a request, 10 000 at most and by default. */
  readonly maxBatch?: number;
  /** From here on `ready()` waits; at twice as much `publish` refuses. 16 MiB by default. */
  readonly bufferBytes?: number;
  /** Without a name only: more than 1 is faster over long ways, and gives up the order of requests. */
  readonly requestsInFlight?: number;
}

const BUFFER_BYTES_DEFAULT = 16 * 1024 * 1024;
type State =
  | { readonly kind: 'open' | 'closed' }
  | { readonly kind: 'failed'; readonly error: ClientError };

export class Publisher implements AsyncDisposable {
  readonly #tools: DeliveryTools;
  readonly #options: PublisherOptions;
  readonly #sequence: PublishingSequence | undefined;
  readonly #buffer: PublishBuffer;
  readonly #unsettled = new Set<Promise<unknown>>();
  #inFlight = 0;
  /** What waits is sent as soon as a request may be. */
  #isDue = false;
  #stopLinger: (() => void) | undefined;
  #state: State = { kind: 'open' };

  constructor(tools: DeliveryTools, options: PublisherOptions) {
    if (options.name !== undefined && (options.requestsInFlight ?? 1) !== 1) {
      throw invalid('requestsInFlight', 'a named publisher has one request in flight');
    }
    this.#tools = tools;
    this.#options = options;
    this.#sequence =
      options.name === undefined
        ? undefined
        : new PublishingSequence(tools, options, options.firstId);
    const { maxBatch = MESSAGES_PER_REQUEST_MAX, bufferBytes = BUFFER_BYTES_DEFAULT } = options;
    const messagesMax = Math.min(Math.max(maxBatch, 1), MESSAGES_PER_REQUEST_MAX);
    this.#buffer = new PublishBuffer({ bytesMax: bufferBytes, messagesMax });
  }

  /** Resolves when the message is durable, also one that is held until its time. Rejects with {@link ClientError}. */
  async publish(message: OutgoingMessage): Promise<Published> {
    const entry = this.#admit(message);
    const settled = new Promise<Published>((resolve, reject) => {
      this.#buffer.add({ ...entry, resolve, reject });
    });
    this.#unsettled.add(settled);
    this.#schedule();
    try {
      return await settled;
    } finally {
      this.#unsettled.delete(settled);
    }
  }

  /** Resolves when there is room: `await publisher.ready()` before each publish that is not awaited. */
  async ready(): Promise<void> {
    await this.#buffer.room();
  }

  /** Sends what waits, and resolves when everything published before has its outcome. */
  async flush(): Promise<void> {
    this.#isDue = true;
    this.#pump();
    await Promise.allSettled([...this.#unsettled]);
  }

  /** Takes no more messages, and resolves when those taken have their outcome. */
  async close(): Promise<void> {
    if (this.#state.kind === 'open') this.#state = { kind: 'closed' };
    await this.flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #admit(message: OutgoingMessage): BatchEntry {
    if (this.#state.kind === 'failed') throw notSent(this.#state.error);
    if (this.#state.kind === 'closed') {
      throw new ClientError('the publisher is closed', { code: 'publisher_closed' });
    }
    if (this.#buffer.isOverfull) {
      throw new ClientError('too many messages wait to be sent: await ready() before publish()', {
        code: 'buffer_full',
        retryable: true,
      });
    }
    const record = encodeMessage(message);
    const delay = writeDelay(message);
    const { publishingId: id } = message;
    if (this.#sequence === undefined && id !== undefined) {
      throw invalid('publishingId', 'publishingId needs a publisher with a name');
    }
    this.#sequence?.admit(id);
    return { record, ...(id !== undefined && { id }), ...(delay && { delay }) };
  }

  #schedule(): void {
    if (this.#isDue || this.#buffer.fillsBatch) {
      this.#pump();
      return;
    }
    if (this.#stopLinger !== undefined) return;
    const send = () => {
      this.#isDue = true;
      this.#pump();
    };
    const { lingerMs = 0 } = this.#options;
    // Even without linger, messages published in one go share a request.
    if (lingerMs <= 0) queueMicrotask(send);
    this.#stopLinger = lingerMs <= 0 ? () => {} : this.#tools.retrying.timer.after(lingerMs, send);
  }

  #pump(): void {
    const inFlightMax = this.#options.requestsInFlight ?? 1;
    while (this.#inFlight < inFlightMax && (this.#isDue || this.#buffer.fillsBatch)) {
      const batch = this.#buffer.takeBatch();
      if (this.#buffer.isEmpty) this.#rest();
      if (batch.length === 0) return;
      this.#inFlight++;
      void this.#settle(batch).then(() => {
        this.#inFlight--;
        this.#pump();
      });
    }
  }

  /** Nothing waits: the next message begins a linger of its own. */
  #rest(): void {
    this.#isDue = false;
    this.#stopLinger?.();
    this.#stopLinger = undefined;
  }

  /** Gives every message its outcome; never rejects. */
  async #settle(batch: readonly PublishEntry[]): Promise<void> {
    try {
      await this.#deliver(await this.#identified(batch));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    this.#buffer.release(batch);
  }

  async #identified(batch: readonly PublishEntry[]): Promise<readonly PublishEntry[]> {
    if (this.#sequence === undefined || batch[0]?.id !== undefined) return batch;
    const first = await this.#sequence.take(batch.length);
    return batch.map((entry, index) => ({ ...entry, id: first + index }));
  }

  async #deliver(batch: readonly PublishEntry[]): Promise<void> {
    for (let rest = batch; rest.length > 0; ) {
      const delivery = await deliverBatch(this.#tools, this.#options, rest);
      const index = delivery.kind === 'refused' ? culprit(delivery.error, rest.length) : undefined;
      if (index === undefined) {
        this.#conclude(delivery, rest);
        return;
      }
      // One message is at fault, and nothing was stored: the others go without it.
      if (delivery.kind === 'refused') rest[index]?.reject(delivery.error);
      rest = rest.filter((_, other) => other !== index);
    }
  }

  #conclude(delivery: Delivery, entries: readonly PublishEntry[]): void {
    if (delivery.kind !== 'answered') {
      for (const { reject } of entries) reject(delivery.error);
      if (delivery.kind === 'unknown' && this.#sequence !== undefined) this.#fail(delivery.error);
      return;
    }
    const { answer, isRepeat } = delivery;
    const isContested = knownByIds(answer) > 0 && !isRepeat && this.#sequence?.isContinued();
    const conflict = isContested ? nameInUse(this.#options.name) : undefined;
    outcomes(entries, answer).forEach((published, index) => {
      if (conflict && published.outcome === 'duplicate') entries[index]?.reject(conflict);
      else entries[index]?.resolve(published);
    });
    if (conflict) this.#fail(conflict);
  }

  #fail(error: ClientError): void {
    this.#state = { kind: 'failed', error };
    this.#rest();
    const unsent = this.#buffer.takeAll();
    for (const { reject } of unsent) reject(notSent(error));
    this.#buffer.release(unsent);
  }
}

function notSent(cause: ClientError): ClientError {
  return new ClientError(
    `not sent, since an earlier request of this publisher failed (${cause.message}): create another one, which goes on behind what is stored`,
    { code: 'publisher_failed', cause },
  );
}

function nameInUse(name: string | undefined): ClientError {
  return new ClientError(
    `another publisher uses the name ${JSON.stringify(name)}: its ids were taken for these messages, which were not stored`,
    { code: 'name_in_use' },
  );
}
