/**
 * Message deduplication: which messages carry a value that their stream remembers (SPEC M1-M5). Values are
 * numbered as they are recorded. One is remembered until it expires, and until as many others as the cache
 * holds were recorded behind it; being met again changes neither.
 */
import { assert } from '../assert.ts';

/** The setting, as in force. */
export interface Deduplication {
  /** Where a message carries its value. */
  readonly header: string;
  readonly cache_size: number;
  /** Null: a value is remembered until others push it out. */
  readonly cache_ttl: number | null;
}

/** Up to so many are kept with the stream itself; each of more has a place of its own (SPEC M1). */
export const SMALL_CACHE_MAX = 128;
export const CACHE_SIZE_MAX = 100_000;
/** What one transaction can store beside the messages (SPEC M1). */
export const LARGE_CACHE_VALUES_MAX = 99;

export const TTL_HEADER = 'x-cache-ttl';
/** Six bytes are enough for a time in every store: the year 10889, which stands for never. */
export const NEVER_MS = 2 ** 48 - 1;

/** A message that carries a value: two are the same when they carry the same text under the same header. */
export interface ValuedMessage {
  /** Its place in the request. */
  readonly index: number;
  readonly value: string;
  /** Its own, instead of the setting's (SPEC M4). */
  readonly ttlMs?: number;
  /** Logical bytes of the message. */
  readonly bytes: number;
}

/** Of one request, in its order; messages without a value are left out. */
export type MessageValues =
  | { readonly kind: 'ok'; readonly messages: readonly ValuedMessage[] }
  | {
      readonly kind: 'reject';
      readonly index: number;
      readonly field: string;
      readonly reason: string;
    };

export interface RecordedValue {
  readonly value: string;
  /** 1 for the first that the stream ever recorded. */
  readonly number: number;
  /** Not remembered from then on. */
  readonly expiresMs: number;
}

/** What a stream knows of the values it recorded; it may still know some that are remembered no longer. */
export interface ValueMemory {
  /** How many were ever recorded. */
  readonly count: number;
  /** The latest of them with this value. */
  find(value: string): Pick<RecordedValue, 'number' | 'expiresMs'> | undefined;
}

export const NO_VALUES: ValueMemory = { count: 0, find: () => undefined };

export interface JudgedValues {
  readonly duplicates: readonly ValuedMessage[];
  /** In the order of their numbers, which follow the memory's count. */
  readonly recorded: readonly RecordedValue[];
}

/** Each message is judged as if those before it were stored already, which in one request they are. */
export function judgeValues(
  messages: readonly ValuedMessage[],
  memory: ValueMemory,
  { settings, nowMs }: { readonly settings: Deduplication; readonly nowMs: number },
): JudgedValues {
  const ledger = new ValueLedger(memory);
  const duplicates: ValuedMessage[] = [];
  for (const message of messages) {
    const { value, ttlMs = settings.cache_ttl } = message;
    const known = ledger.find(value);
    if (known && isRemembered(known, { count: ledger.count, size: settings.cache_size, nowMs })) {
      duplicates.push(message);
      continue;
    }
    const expiresMs = ttlMs === null ? NEVER_MS : Math.min(nowMs + ttlMs, NEVER_MS);
    ledger.record([{ value, number: ledger.count + 1, expiresMs }]);
  }
  return { duplicates, recorded: ledger.recorded };
}

function isRemembered(
  { number, expiresMs }: Pick<RecordedValue, 'number' | 'expiresMs'>,
  cache: { readonly count: number; readonly size: number; readonly nowMs: number },
): boolean {
  return number > forgottenThrough(cache.count, cache.size) && cache.nowMs < expiresMs;
}

/** Values up to this number have been pushed out. */
export function forgottenThrough(count: number, cacheSize: number): number {
  return Math.max(count - cacheSize, 0);
}

/** A memory, and what was recorded on top of it. */
export class ValueLedger implements ValueMemory {
  readonly #base: ValueMemory;
  readonly #recorded: RecordedValue[] = [];
  readonly #latest = new Map<string, RecordedValue>();

  constructor(base: ValueMemory) {
    this.#base = base;
  }

  get count(): number {
    return this.#base.count + this.#recorded.length;
  }

  get recorded(): readonly RecordedValue[] {
    return this.#recorded;
  }

  find(value: string): Pick<RecordedValue, 'number' | 'expiresMs'> | undefined {
    return this.#latest.get(value) ?? this.#base.find(value);
  }

  record(values: readonly RecordedValue[]): void {
    for (const one of values) {
      assert(one.number === this.count + 1, 'values are numbered without holes');
      this.#recorded.push(one);
      this.#latest.set(one.value, one);
    }
  }
}

/** A header of type text or number, as the text that it is compared by; objects and null have none (SPEC M2). */
export function valueKey(header: string, text: string): string {
  // Not the text alone: another header is another value. Escaped, so that half a surrogate stays what it is.
  return JSON.stringify([header, text]);
}

/** What a message says of its value. */
export type OwnValue = Pick<ValuedMessage, 'value' | 'ttlMs'>;

export type ReadValue =
  | { readonly kind: 'ok'; readonly own: OwnValue }
  | { readonly kind: 'none' }
  | { readonly kind: 'reject'; readonly field: string; readonly reason: string };

/** From the JSON texts of a message's headers, by their names. */
export function readValue(headers: ReadonlyMap<string, string>, header: string): ReadValue {
  const ttl = headers.get(TTL_HEADER);
  const parsed = ttl === undefined ? undefined : parseCacheTtl(textOf(ttl) ?? '');
  if (parsed?.kind === 'reject') return { ...parsed, field: `headers.${TTL_HEADER}` };
  const value = headers.get(header);
  const text = value === undefined ? undefined : textOf(value);
  if (text === undefined) return { kind: 'none' };
  const own = { value: valueKey(header, text), ...(parsed && { ttlMs: parsed.ttlMs }) };
  return { kind: 'ok', own };
}

/** Text as it is, a number or a boolean as it was written: objects, arrays and null equal nothing. */
function textOf(json: string): string | undefined {
  if (json.startsWith('"')) return String(JSON.parse(json));
  return json.startsWith('{') || json.startsWith('[') || json === 'null' ? undefined : json;
}

export type ParsedTtl =
  | { readonly kind: 'ok'; readonly ttlMs: number }
  | { readonly kind: 'reject'; readonly reason: string };

/** From the header's JSON text without quotes, so that digits sent as text are digits. */
export function parseCacheTtl(text: string): ParsedTtl {
  const ttlMs = /^[0-9]{1,16}$/.test(text) ? Number(text) : 0;
  if (ttlMs >= 1 && Number.isSafeInteger(ttlMs)) return { kind: 'ok', ttlMs };
  const reason = `header ${TTL_HEADER} must be an integer number of ms from 1 to 2^53 - 1`;
  return { kind: 'reject', reason };
}
