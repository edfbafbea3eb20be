/**
 * Exchanges: their names and ids, of which types there are, and what of a declaration is kept (SPEC X1, X9, X10).
 * Names have a namespace of their own: a stream may be called as an exchange is.
 */
import { assert } from '../assert.ts';
import type { Deduplication } from '../log/deduplication.ts';
import { formatDeduplication } from '../log/deduplication-setting.ts';
import { type ParsedName, parseName } from '../log/ids.ts';
import { quote } from '../quote.ts';

export type ExchangeName = string & { readonly brand: 'ExchangeName' };
/** Tells incarnations of one name apart: 128 bits as 32 lower-case hex digits. */
export type ExchangeId = string & { readonly brand: 'ExchangeId' };

/** What the exchange without a name is called in paths (SPEC X5). No other one can have this name (SPEC P9). */
export const DEFAULT_EXCHANGE = 'amq.default';

export const EXCHANGE_TYPES = [
  'direct',
  'fanout',
  'topic',
  'headers',
  'x-consistent-hash',
] as const;

export type ExchangeType = (typeof EXCHANGE_TYPES)[number];

/** The type of exchanges that hold, where `delayed_type` says how they route (SPEC L1). */
export const DELAYED_TYPE = 'x-delayed-message';

export type HeadersMatch = 'all' | 'any';

export interface ExchangeSettings {
  readonly type: ExchangeType;
  /** Takes what nothing is bound for (SPEC X3). It need not exist. */
  readonly alternateExchange?: ExchangeName;
  /** Takes messages from other exchanges only (SPEC X9). */
  readonly internal: boolean;
  /** Goes with the last of its bindings (SPEC X9). */
  readonly autoDelete: boolean;
  /** Holds messages that ask for it, and how that was declared: by its type or beside it (SPEC L1). */
  readonly delayed?: 'type' | 'setting';
  /** Of a headers exchange: for bindings that do not say (SPEC X1). */
  readonly match?: HeadersMatch;
  /** Of a consistent hash exchange: the header that is hashed instead of the routing key (SPEC X1). */
  readonly hashOn?: string;
  /** Messages that carry a value it remembers are not routed again (SPEC M1). */
  readonly deduplication?: Deduplication;
}

export function parseExchangeName(text: string): ParsedName<ExchangeName> {
  const parsed = parseName(text);
  return parsed.kind === 'ok' ? { kind: 'ok', name: parsed.name as ExchangeName } : parsed;
}

/** For ids that this program drew or stored; throws AssertionFailed on any other text. */
export function exchangeId(text: string): ExchangeId {
  assert(
    /^[0-9a-f]{32}$/.test(text),
    () => `an exchange id is 32 lower-case hex digits, not ${quote(text)}`,
  );
  return text as ExchangeId;
}

export function isExchangeType(value: unknown): value is ExchangeType {
  return EXCHANGE_TYPES.some((type) => type === value);
}

/** A member of a declaration, as clients call it, and its value in what exists and in what was asked for. */
export interface ExchangeDifference {
  readonly field: string;
  readonly expected: string | number | boolean | null;
  readonly actual: string | number | boolean | null;
}

/** The first member in which what was asked for differs from what is there (SPEC X10). */
export function exchangeDifference(
  wanted: ExchangeSettings,
  existing: ExchangeSettings,
): ExchangeDifference | undefined {
  const [asked, there] = [comparedMembers(wanted), comparedMembers(existing)];
  for (const [field, expected] of Object.entries(asked)) {
    const actual = there[field] ?? null;
    if (expected !== actual) return { field, expected, actual };
  }
  return undefined;
}

function comparedMembers(settings: ExchangeSettings): {
  readonly [field: string]: string | number | boolean | null;
} {
  const { alternateExchange, internal, autoDelete, match, hashOn, deduplication } = settings;
  const values = deduplication && formatDeduplication(deduplication);
  return {
    ...declaredType(settings),
    alternate_exchange: alternateExchange ?? null,
    internal,
    auto_delete: autoDelete,
    'arguments.x-match': match ?? null,
    'arguments.hash_on': hashOn ?? null,
    deduplication: values === undefined ? null : 'set',
    'deduplication.header': values?.header ?? null,
    'deduplication.cache_size': values?.cache_size ?? null,
    'deduplication.cache_ttl': values?.cache_ttl ?? null,
  };
}

/** As it was declared, so that the same declaration made again is the same. */
export function declaredType({ type, delayed }: ExchangeSettings) {
  return {
    type: delayed === 'type' ? DELAYED_TYPE : type,
    delayed_type: delayed === 'type' ? type : null,
    delayed: delayed !== undefined,
  };
}
