/** A declaration of an exchange as clients write it, and as it is shown (SPEC X1, X9, X10). */
import type { Deduplication } from '../log/deduplication.ts';
import { formatDeduplication, parseDeduplication } from '../log/deduplication-setting.ts';
import { quote } from '../quote.ts';
import {
  DELAYED_TYPE,
  declaredType,
  EXCHANGE_TYPES,
  type ExchangeName,
  type ExchangeSettings,
  type ExchangeType,
  type HeadersMatch,
  isExchangeType,
  parseExchangeName,
} from './exchange.ts';

type Members = Readonly<Record<string, unknown>>;

export interface RejectedExchange {
  readonly kind: 'reject';
  readonly code: 'invalid_request' | 'invalid_setting' | 'invalid_name';
  readonly field: string;
  readonly reason: string;
}

type Parsed<Value> = { readonly kind: 'ok'; readonly value: Value } | RejectedExchange;

const KNOWN = new Set([
  'type',
  'delayed',
  'delayed_type',
  'alternate_exchange',
  'internal',
  'auto_delete',
  'arguments',
  'deduplication',
]);

/** A null member is one that is left out. */
export function parseExchange(
  members: Members,
): { readonly kind: 'ok'; readonly settings: ExchangeSettings } | RejectedExchange {
  const unknown = Object.keys(members).find((name) => !KNOWN.has(name));
  if (unknown !== undefined) return rejectUnknown(unknown);

  const typed = parseTypes(members);
  if (typed.kind === 'reject') return typed;
  const { type } = typed.value;
  const alternate = parseAlternate(members['alternate_exchange'] ?? undefined);
  if (alternate.kind === 'reject') return alternate;
  const internal = parseFlag('internal', members['internal'] ?? false);
  if (internal.kind === 'reject') return internal;
  const autoDelete = parseFlag('auto_delete', members['auto_delete'] ?? false);
  if (autoDelete.kind === 'reject') return autoDelete;
  const options = parseArguments(type, members['arguments'] ?? {});
  if (options.kind === 'reject') return options;
  const values = parseValues(members['deduplication'] ?? undefined, internal.value);
  if (values.kind === 'reject') return values;
  return {
    kind: 'ok',
    settings: {
      ...typed.value,
      ...(alternate.value !== undefined && { alternateExchange: alternate.value }),
      internal: internal.value,
      autoDelete: autoDelete.value,
      ...options.value,
      ...(values.value !== undefined && { deduplication: values.value }),
    },
  };
}

/** The same members again; what is not set is null. */
export function exchangeMembers(settings: ExchangeSettings) {
  const { alternateExchange = null, internal, autoDelete, match, hashOn } = settings;
  const { deduplication } = settings;
  return {
    ...declaredType(settings),
    alternate_exchange: alternateExchange,
    internal,
    auto_delete: autoDelete,
    arguments: {
      ...(match !== undefined && { 'x-match': match }),
      ...(hashOn !== undefined && { hash_on: hashOn }),
    },
    deduplication: deduplication === undefined ? null : formatDeduplication(deduplication),
  };
}

function rejectUnknown(name: string): RejectedExchange {
  const field = name.slice(0, 64);
  const reason = `unknown member ${quote(name)}: an exchange has ${[...KNOWN].join(', ')}`;
  return { kind: 'reject', code: 'invalid_request', field, reason };
}

function rejectSetting(field: string, reason: string): RejectedExchange {
  return { kind: 'reject', code: 'invalid_setting', field, reason: `${field}: ${reason}` };
}

/** How it routes, and whether it holds: said by the type, which then names how it routes beside it, or by a flag. */
function parseTypes(members: Members): Parsed<Pick<ExchangeSettings, 'type' | 'delayed'>> {
  const given = members['type'] ?? undefined;
  const delayed = parseFlag('delayed', members['delayed'] ?? false);
  if (delayed.kind === 'reject') return delayed;
  const routedBy = members['delayed_type'] ?? undefined;
  if (given === DELAYED_TYPE) {
    const type = parseType('delayed_type', routedBy);
    return type.kind === 'ok' ? { kind: 'ok', value: { type: type.value, delayed: 'type' } } : type;
  }
  const type = parseType('type', given);
  if (type.kind === 'reject') return type;
  if (routedBy !== undefined) return rejectSetting('delayed_type', `is for type ${DELAYED_TYPE}`);
  const isHolding = delayed.value && { delayed: 'setting' as const };
  return { kind: 'ok', value: { type: type.value, ...isHolding } };
}

function parseType(field: 'type' | 'delayed_type', value: unknown): Parsed<ExchangeType> {
  if (isExchangeType(value)) return { kind: 'ok', value };
  const types = field === 'type' ? [...EXCHANGE_TYPES, DELAYED_TYPE] : EXCHANGE_TYPES;
  const known = `give one of ${types.join(', ')}`;
  if (value === undefined || value === null) {
    const reason = `${field} is missing: ${known}`;
    return { kind: 'reject', code: 'invalid_request', field, reason };
  }
  const what = typeof value === 'string' ? quote(value) : 'this';
  return rejectSetting(field, `${what} is no type of exchange: ${known}`);
}

function parseAlternate(value: unknown): Parsed<ExchangeName | undefined> {
  const field = 'alternate_exchange';
  if (value === undefined) return { kind: 'ok', value };
  if (typeof value !== 'string') return rejectSetting(field, 'give the name of an exchange');
  const parsed = parseExchangeName(value);
  if (parsed.kind === 'ok') return { kind: 'ok', value: parsed.name };
  return { kind: 'reject', code: 'invalid_name', field, reason: `${field}: ${parsed.reason}` };
}

/** Only what is published to an exchange is looked at, not what comes from another one. */
function parseValues(value: unknown, isInternal: boolean): Parsed<Deduplication | undefined> {
  const field = 'deduplication';
  if (value === undefined) return { kind: 'ok', value };
  if (isInternal) {
    return rejectSetting(
      field,
      'is for what is published to an exchange, and this one is internal',
    );
  }
  const parsed = parseDeduplication(value);
  if (parsed.kind === 'ok') return parsed;
  const { member, reason } = parsed;
  return rejectSetting(member === undefined ? field : `${field}.${member}`, reason);
}

function parseFlag(field: string, value: unknown): Parsed<boolean> {
  if (typeof value === 'boolean') return { kind: 'ok', value };
  return rejectSetting(field, 'give true or false');
}

function parseArguments(
  type: ExchangeType,
  value: unknown,
): Parsed<Pick<ExchangeSettings, 'match' | 'hashOn'>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return rejectSetting('arguments', 'give an object');
  }
  let options: Pick<ExchangeSettings, 'match' | 'hashOn'> = {};
  for (const [name, member] of Object.entries(value)) {
    const parsed = parseArgument(type, name, member);
    if (parsed.kind === 'reject') return parsed;
    options = { ...options, ...parsed.value };
  }
  return { kind: 'ok', value: options };
}

function parseArgument(
  type: ExchangeType,
  name: string,
  value: unknown,
): Parsed<Pick<ExchangeSettings, 'match' | 'hashOn'>> {
  const field = `arguments.${name.slice(0, 64)}`;
  if (name === 'x-match') {
    if (type !== 'headers') return rejectSetting(field, 'is for an exchange of type headers');
    if (isHeadersMatch(value)) return { kind: 'ok', value: { match: value } };
    return rejectSetting(field, 'give all or any');
  }
  if (name === 'hash_on') {
    if (type !== 'x-consistent-hash') {
      return rejectSetting(field, 'is for an exchange of type x-consistent-hash');
    }
    if (typeof value === 'string' && value !== '') return { kind: 'ok', value: { hashOn: value } };
    return rejectSetting(field, 'give the name of a header');
  }
  return rejectSetting(field, 'is no argument of an exchange: there are x-match and hash_on');
}

export function isHeadersMatch(value: unknown): value is HeadersMatch {
  return value === 'all' || value === 'any';
}
