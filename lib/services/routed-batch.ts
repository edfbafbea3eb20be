/**
 * Messages of a request as routing sees them, and the batches that each destination gets of them. All or nothing:
 * a message that cannot be routed is refused by its place before anything is sent (SPEC X1, X4, X11).
 */
import { quote } from '../core/quote.ts';
import { routingKeyFault } from '../core/routing/binding.ts';
import {
  type HoldVerdict,
  NOT_HELD,
  type RoutedMessage,
} from '../core/routing/compiled-exchange.ts';
import { RoutedHeaders } from '../core/routing/headers-matcher.ts';
import { routingKeys } from '../core/routing/route.ts';
import type { Batch } from '../ports/log-store.ts';
import { decodeRecord, skipRecord } from '../wire/record.ts';
import { VarintReader } from '../wire/varint.ts';
import { invalid } from './log-error.ts';

/** Ten times as many as may lead to a destination of their own (SPEC X11). */
const ROUTING_KEYS_MAX = 1_000;

/** `CC` and `BCC` end so, however a writer escaped the rest of the name. */
const COPIES = 'CC';

const decoder = new TextDecoder();

/** What an exchange that holds does with a message of the request. */
export type Holding = (index: number, headers: RoutedHeaders) => HoldVerdict;

/** A message that was held already is held by no exchange on its way (SPEC L8). */
export const HOLDS_NOTHING: Holding = () => NOT_HELD;

/** One for each message, made as it is asked for: there may be ten thousand. */
export function* routedMessages(
  { records, count }: Pick<Batch, 'records' | 'count'>,
  holding: Holding,
): Generator<RoutedMessage> {
  const reader = new VarintReader(records);
  for (let index = 0; index < count; index++) {
    const { routingKey, headers } = decodeRecord(reader);
    const text = headers && decoder.decode(headers);
    const routed = new RoutedHeaders(text);
    const keys = keysOf(
      decoder.decode(routingKey),
      { headers: routed, text },
      `messages[${index}]`,
    );
    yield { keys, headers: routed, hold: () => holding(index, routed) };
  }
}

function keysOf(
  routingKey: string,
  { headers, text }: { readonly headers: RoutedHeaders; readonly text: string | undefined },
  place: string,
): readonly string[] {
  checkKey(routingKey, `${place}.routing_key`);
  if (text === undefined || !mayHaveCopies(text)) return [routingKey];
  const copies = [...copiesIn(headers, 'CC', place), ...copiesIn(headers, 'BCC', place)];
  const keys = routingKeys(routingKey, copies);
  if (keys.length <= ROUTING_KEYS_MAX) return keys;
  const field = `${place}.headers.CC`;
  throw invalid(field, `${field}: with BCC and the routing key at most ${ROUTING_KEYS_MAX} keys`);
}

function mayHaveCopies(headers: string): boolean {
  return headers.includes(COPIES) || headers.includes('\\');
}

function copiesIn(headers: RoutedHeaders, name: string, place: string): readonly string[] {
  const value = headers.valueOf(name);
  if (!Array.isArray(value)) return [];
  return value.map((key: unknown, at) => {
    const field = `${place}.headers.${name}[${at}]`;
    if (typeof key !== 'string') throw invalid(field, `${field} must be a string`);
    checkKey(key, field);
    return key;
  });
}

function checkKey(key: string, field: string): void {
  const fault = routingKeyFault(key);
  if (fault !== undefined) throw invalid(field, `${field} ${quote(key)} ${fault}`);
}

/** Cuts the messages of a batch out of it, by their places in it, which rise. */
export class BatchCutter {
  readonly #batch: Batch;
  #bounds: readonly number[] | undefined;

  constructor(batch: Batch) {
    this.#batch = batch;
  }

  /** What a batch of these takes in memory beside the one that it is cut from. */
  copiedBytes(indexes: readonly number[]): number {
    if (indexes.length === this.#batch.count) return 0;
    const bounds = this.#boundaries();
    return indexes.reduce((sum, at) => sum + (bounds[at + 1] ?? 0) - (bounds[at] ?? 0), 0);
  }

  cut(indexes: readonly number[]): Batch {
    const { records, count, jsonChecked } = this.#batch;
    if (indexes.length === count) return this.#batch;
    const bounds = this.#boundaries();
    const parts = indexes.map((at) => records.subarray(bounds[at], bounds[at + 1]));
    const own = Buffer.concat(parts);
    return { count: indexes.length, records: own, bytes: logicalBytes(own), jsonChecked };
  }

  /** Where each record begins, and the last one ends. */
  #boundaries(): readonly number[] {
    this.#bounds ??= boundariesOf(this.#batch);
    return this.#bounds;
  }
}

function boundariesOf({ records, count }: Batch): readonly number[] {
  const reader = new VarintReader(records);
  const bounds = [0];
  for (let index = 0; index < count; index++) {
    skipRecord(reader);
    bounds.push(reader.position);
  }
  return bounds;
}

function logicalBytes(records: Uint8Array): number {
  const reader = new VarintReader(records);
  let bytes = 0;
  while (reader.position < records.length) bytes += skipRecord(reader);
  return bytes;
}
