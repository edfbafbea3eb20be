/**
 * Bindings: what leads from an exchange to a destination, and by what a binding is told from others (SPEC X6).
 * Arguments are kept as canonical text, so that their order means nothing and their numbers keep their digits.
 */

import type { StreamId, StreamName } from '../log/ids.ts';
import { NAME_BYTES_MAX } from '../log/limits.ts';
import { quote } from '../quote.ts';
import { canonicalMembers } from './canonical-json.ts';
import type { ExchangeId, ExchangeName, ExchangeSettings } from './exchange.ts';
import { isHeadersMatch } from './parse-exchange.ts';

/** By name: what a client binds to. */
export type DestinationName =
  | { readonly kind: 'stream'; readonly name: StreamName }
  | { readonly kind: 'exchange'; readonly name: ExchangeName };

/** One incarnation: what the binding leads to, and to nothing that gets the name later (SPEC T13). */
export type Destination =
  | { readonly kind: 'stream'; readonly name: StreamName; readonly id: StreamId }
  | { readonly kind: 'exchange'; readonly name: ExchangeName; readonly id: ExchangeId };

/** Arguments of a binding as canonical JSON: `{}` when there are none. */
export type BindingArguments = string & { readonly brand: 'BindingArguments' };

/** What identifies a binding of a source and a destination: its key and arguments (SPEC X6). */
export type PropertiesKey = string & { readonly brand: 'PropertiesKey' };

/** What identifies a binding of a source: kind, destination and properties key, as they stand in a path. */
export type BindingName = string & { readonly brand: 'BindingName' };

export interface Binding {
  readonly name: BindingName;
  readonly propertiesKey: PropertiesKey;
  readonly destination: Destination;
  readonly routingKey: string;
  readonly arguments: BindingArguments;
}

export const NO_ARGUMENTS = '{}' as BindingArguments;

/** As heavy as a thousand others (SPEC X1). */
export const WEIGHT_MAX = 1_000;

/** As AMQP 0.9.1 has it; a topic match takes a step for each word of it. */
export const ROUTING_KEY_BYTES_MAX = NAME_BYTES_MAX;

/** Arguments as a client wrote them; undefined when they are no JSON object, or nested too deep. */
export function parseArguments(text: string): BindingArguments | undefined {
  const members = canonicalMembers(text);
  if (members === undefined) return undefined;
  const texts = [...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  return `{${texts.join(',')}}` as BindingArguments;
}

/** For arguments that this program stored. */
export function storedArguments(text: string): BindingArguments {
  return text as BindingArguments;
}

export function storedPropertiesKey(text: string): PropertiesKey {
  return text as PropertiesKey;
}

export function storedBindingName(text: string): BindingName {
  return text as BindingName;
}

/** `hash` is of the arguments, and is needed when there are some. */
export function propertiesKey(
  routingKey: string,
  args: BindingArguments,
  hash: (text: string) => string,
): PropertiesKey {
  const key = escapeKey(routingKey);
  if (args !== NO_ARGUMENTS) return `${key}~${hash(args)}` as PropertiesKey;
  return (key === '' ? '~' : key) as PropertiesKey;
}

/** `.` and `..` too, which no path can hold. */
function escapeKey(key: string): string {
  if (key === '.' || key === '..') return key.replaceAll('.', '%2E');
  return key.replaceAll('%', '%25').replaceAll('~', '%7E');
}

export function bindingName(
  { kind, name }: { readonly kind: DestinationName['kind'] | 'queue'; readonly name: string },
  key: PropertiesKey,
): BindingName {
  return `${kind}/${encodeURIComponent(name)}/${encodeURIComponent(key)}` as BindingName;
}

/** What keeps this from being a binding of such an exchange (SPEC X1); undefined when nothing does. */
export function bindingFault(
  { type }: ExchangeSettings,
  { routingKey, arguments: args }: Pick<Binding, 'routingKey' | 'arguments'>,
): { readonly field: string; readonly reason: string } | undefined {
  if (type === 'x-consistent-hash' && parseWeight(routingKey) === undefined) {
    const reason = `routing_key is the weight here, an integer from 1 to ${WEIGHT_MAX}, not ${quote(routingKey)}`;
    return { field: 'routing_key', reason };
  }
  const match = type === 'headers' ? canonicalMembers(args)?.get('x-match') : undefined;
  if (match === undefined || isHeadersMatch(JSON.parse(match))) return undefined;
  return { field: 'arguments.x-match', reason: `arguments.x-match: give all or any` };
}

/** Undefined when the key is no weight. */
export function parseWeight(routingKey: string): number | undefined {
  if (!/^[1-9][0-9]{0,3}$/.test(routingKey)) return undefined;
  const weight = Number(routingKey);
  return weight <= WEIGHT_MAX ? weight : undefined;
}

/** Undefined when a message or a binding may have this key. */
export function routingKeyFault(key: string): string | undefined {
  if (!key.isWellFormed()) return 'holds half a surrogate pair: send valid Unicode';
  const bytes =
    key.length > ROUTING_KEY_BYTES_MAX ? key.length : new TextEncoder().encode(key).length;
  if (bytes <= ROUTING_KEY_BYTES_MAX) return undefined;
  return `is longer than ${ROUTING_KEY_BYTES_MAX} bytes of UTF-8`;
}
