/**
 * Values of a request's messages, at an exchange that remembers them (SPEC M1-M5): which messages are the first of the
 * request with theirs, and what the exchange remembers of those.
 */
import {
  type Deduplication,
  type OwnValue,
  readValue,
  TTL_HEADER,
} from '../core/log/deduplication.ts';
import type { StreamDestination } from '../core/routing/route.ts';
import { ROUTED_VALUES_MAX, type RoutingRecord } from '../core/routing/routing-record.ts';
import type { RememberingExchange } from '../ports/exchanges.ts';
import type { Batch } from '../ports/log-store.ts';
import { headerTexts } from '../wire/header-texts.ts';
import { decodeRecord } from '../wire/record.ts';
import { VarintReader } from '../wire/varint.ts';
import type { Components } from './components.ts';
import { invalid, LogError } from './log-error.ts';

export interface RoutedValue extends OwnValue {
  /** Of the record, should this request make it. */
  readonly rid: string;
}

export interface RequestValues {
  /** By the places of the messages. */
  readonly leads: ReadonlyMap<number, RoutedValue>;
  /** Places of those that carry what one before them carries: they go nowhere. */
  readonly repeats: ReadonlySet<number>;
}

export const NO_REQUEST_VALUES: RequestValues = { leads: new Map(), repeats: new Set() };

export function requestValues(
  { random }: Components,
  batch: Batch,
  { header }: Deduplication,
): RequestValues {
  const leads = new Map<number, RoutedValue>();
  const repeats = new Set<number>();
  const seen = new Set<string>();
  for (const [index, own] of ownValues(batch, header)) {
    if (seen.has(own.value)) repeats.add(index);
    else leads.set(index, { ...own, rid: random.hex128() });
    seen.add(own.value);
  }
  const [limit, actual] = [ROUTED_VALUES_MAX, leads.size + repeats.size];
  if (actual <= limit) return { leads, repeats };
  const message = `the exchange remembers values: a request to it has at most ${limit} messages that carry one, not ${actual}`;
  throw new LogError(message, { code: 'too_many_messages', details: { limit, actual } });
}

function* ownValues(
  { records, count }: Batch,
  header: string,
): Generator<readonly [index: number, own: OwnValue]> {
  const reader = new VarintReader(records);
  for (let index = 0; index < count; index++) {
    const { headers } = decodeRecord(reader);
    if (headers === undefined) continue;
    const read = readValue(headerTexts(headers, [header, TTL_HEADER]), header);
    const place = `messages[${index}]`;
    if (read.kind === 'reject') throw invalid(`${place}.${read.field}`, `${place}: ${read.reason}`);
    if (read.kind === 'ok') yield [index, read.own];
  }
}

/** A message that is the first with its value, and where it would go now. */
export interface RoutedLead {
  readonly index: number;
  readonly own: RoutedValue;
  readonly destinations: readonly StreamDestination[];
}

export interface RememberedLead extends RoutedLead {
  /** Undefined when nothing is bound for it, and nothing was remembered. */
  readonly record: RoutingRecord | undefined;
}

/** Undefined when the exchange is gone. */
export async function rememberLeads(
  { exchanges, clock }: Components,
  exchange: RememberingExchange,
  leads: readonly RoutedLead[],
): Promise<readonly RememberedLead[] | undefined> {
  if (leads.length === 0) return [];
  const tries = leads.map(({ own, destinations }) => ({ ...own, destinations }));
  const records = await exchanges.remember(exchange, tries, clock.nowMs());
  return records && leads.map((lead, at) => ({ ...lead, record: records[at] }));
}
