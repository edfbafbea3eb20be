/**
 * What an exchange remembers of a value by which messages are deduplicated (SPEC M5): to whom the message was to go
 * when the value was met first, and who has it. A repeat is for those who lack it, whatever is bound by then. While
 * nobody has it there is nothing to remember, and the next try begins anew.
 */
import { type Deduplication, forgottenThrough, NEVER_MS } from '../log/deduplication.ts';
import type { StreamId } from '../log/ids.ts';
import type { ExchangeId } from './exchange.ts';
import type { StreamDestination } from './route.ts';

/** Values of one request: each is a write beside the messages, in one transaction with them (SPEC M1). */
export const ROUTED_VALUES_MAX = 99;

/** So long a try that nobody has taken yet is joined by one to the same destinations: it may be under way. */
const UNDER_WAY_MS = 10_000;

/** So many are kept, however small the cache: appends under what a request's own values push out are under way. */
const KEPT_RECORDS_MIN = 1_000;

export interface RoutingRecord {
  /** Drawn for it: what is appended under another one is not of this record. */
  readonly rid: string;
  /** 1 for the first that the exchange ever made; some are left out. */
  readonly number: number;
  readonly startedMs: number;
  readonly expiresMs: number;
  readonly destinations: readonly StreamDestination[];
  readonly taken: ReadonlySet<StreamId>;
}

/** An append with this is stored only while the record is this one, and its stream has not taken it. */
export interface RecordClaim {
  /** Of the message that carries the value. */
  readonly index: number;
  readonly exchangeId: ExchangeId;
  readonly value: string;
  readonly rid: string;
}

export interface ValueTry {
  readonly value: string;
  /** Its own, instead of the setting's (SPEC M4). */
  readonly ttlMs?: number;
  /** Of the record, if one is made. */
  readonly rid: string;
  /** Where it would go now; none when nothing is bound for it. */
  readonly destinations: readonly StreamDestination[];
}

export type RecordPlan =
  | { readonly kind: 'known'; readonly record: RoutingRecord }
  /** Takes the place of the one that was there. */
  | { readonly kind: 'made'; readonly record: RoutingRecord }
  | { readonly kind: 'none' };

export interface RecordMoment {
  readonly settings: Deduplication;
  /** The highest number that was given to a record. */
  readonly count: number;
  readonly nowMs: number;
}

export function planRecord(
  there: RoutingRecord | undefined,
  wanted: ValueTry,
  { settings, count, nowMs }: RecordMoment,
): RecordPlan {
  // Its own it made a moment ago, however short a time that is remembered.
  const isOwn = there?.rid === wanted.rid;
  if (there && (isOwn || isRemembered(there, { settings, count, nowMs }))) {
    if (there.taken.size > 0 || isUnderWay(there, wanted, nowMs)) {
      return { kind: 'known', record: there };
    }
  }
  const { rid, destinations, ttlMs = settings.cache_ttl } = wanted;
  if (destinations.length === 0) return { kind: 'none' };
  const expiresMs = ttlMs === null ? NEVER_MS : Math.min(nowMs + ttlMs, NEVER_MS);
  const record = { rid, number: count + 1, startedMs: nowMs, expiresMs, destinations };
  return { kind: 'made', record: { ...record, taken: new Set() } };
}

/** True when an append may still be made under it, though it may not be remembered. */
export function isKept(record: RoutingRecord, moment: RecordMoment): boolean {
  const cache_size = keptRecords(moment.settings);
  return isRemembered(record, { ...moment, settings: { ...moment.settings, cache_size } });
}

/** How many of the latest stay in the store. */
export function keptRecords({ cache_size }: Deduplication): number {
  return Math.max(cache_size, KEPT_RECORDS_MIN);
}

function isRemembered(
  { number, expiresMs }: Pick<RoutingRecord, 'number' | 'expiresMs'>,
  { settings, count, nowMs }: RecordMoment,
): boolean {
  return number > forgottenThrough(count, settings.cache_size) && nowMs < expiresMs;
}

function isUnderWay(there: RoutingRecord, wanted: ValueTry, nowMs: number): boolean {
  const ids = new Set(there.destinations.map(({ id }) => id));
  const isSame =
    ids.size === wanted.destinations.length && wanted.destinations.every(({ id }) => ids.has(id));
  return isSame && nowMs < there.startedMs + UNDER_WAY_MS;
}

/** Tells records apart. */
function claimKey({ exchangeId, value }: RecordClaim): string {
  return `${exchangeId} ${value}`;
}

/** Claims of appends that are decided together, on top of what is known of their records. */
export class ClaimLedger {
  readonly #isOpen: (claim: RecordClaim) => boolean;
  readonly #taken = new Map<string, RecordClaim>();

  constructor(isOpen: (claim: RecordClaim) => boolean = () => true) {
    this.#isOpen = isOpen;
  }

  get taken(): readonly RecordClaim[] {
    return [...this.#taken.values()];
  }

  areOpen(claims: readonly RecordClaim[] = []): boolean {
    return claims.every((claim) => !this.#taken.has(claimKey(claim)) && this.#isOpen(claim));
  }

  /** Of an append whose first messages the stream leaves out by their publishing ids: it may not have those. */
  take(claims: readonly RecordClaim[] = [], leftOut = 0): void {
    for (const claim of claims) {
      if (claim.index >= leftOut) this.#taken.set(claimKey(claim), claim);
    }
  }
}
