/**
 * What an attribute of a CloudEvent may be (CloudEvents 1.0, "Context Attributes"; SPEC CE2), whatever
 * form the event came in. As strict as the specification: one event that is none would make readers
 * refuse the whole page it stands in.
 */
import { quote } from '../quote.ts';
import { parseInstant } from './instant.ts';
import { checkContentType } from './message.ts';
import { isUri, isUriReference } from './uri.ts';

export type AttributeValue = string | number | boolean;

export type ParsedAttribute =
  | { readonly kind: 'ok'; readonly value: AttributeValue }
  | { readonly kind: 'reject'; readonly reason: string };

export const EVENT_VERSION = '1.0';
export const REQUIRED_ATTRIBUTES = ['specversion', 'id', 'source', 'type'] as const;

/** A message has places of its own for these two: its content type and its key. */
export const DATA_TYPE = 'datacontenttype';
export const PARTITION_KEY = 'partitionkey';

const INTEGER_MIN = -(2 ** 31);
const INTEGER_MAX = 2 ** 31 - 1;

/** Control characters, half surrogate pairs, and what Unicode promises never to assign. */
const DISALLOWED = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u;

type Fault = string | undefined;

const NAMED: ReadonlyMap<string, (text: string) => Fault> = new Map([
  ['specversion', versionFault],
  ['id', noFault],
  ['source', (text) => (isUriReference(text) ? undefined : 'must be a URI reference (RFC 3986)')],
  ['type', noFault],
  ['subject', noFault],
  ['dataschema', (text) => (isUri(text) ? undefined : 'must be a URI with its scheme (RFC 3986)')],
  ['time', timeFault],
  [DATA_TYPE, typeFault],
  [PARTITION_KEY, noFault],
]);

/** Names without a meaning of their own are extensions, as any sender may add them. */
export function parseAttribute(name: string, value: unknown): ParsedAttribute {
  const check = NAMED.get(name);
  if (check === undefined) return parseExtension(name, value);
  if (typeof value !== 'string') return reject('must be a string');

  const fault = value === '' ? 'must not be empty' : (textFault(value) ?? check(value));
  return fault === undefined ? { kind: 'ok', value } : reject(fault);
}

function parseExtension(name: string, value: unknown): ParsedAttribute {
  if (!/^[a-z0-9]+$/.test(name) || name === 'data') {
    return reject('is no name of an attribute: these have the letters a to z and digits only');
  }
  if (typeof value === 'boolean') return { kind: 'ok', value };
  if (typeof value === 'number' && isInt32(value)) return { kind: 'ok', value };
  if (typeof value !== 'string') {
    return reject('must be a string, a boolean or an integer of 32 bits');
  }
  const fault = textFault(value);
  return fault === undefined ? { kind: 'ok', value } : reject(fault);
}

function isInt32(value: number): boolean {
  return Number.isInteger(value) && value >= INTEGER_MIN && value <= INTEGER_MAX;
}

function textFault(text: string): Fault {
  if (!DISALLOWED.test(text)) return undefined;
  return 'must not hold control characters, half a surrogate pair or noncharacters of Unicode';
}

function versionFault(text: string): Fault {
  if (text === EVENT_VERSION) return undefined;
  return `must be "${EVENT_VERSION}", the version that is taken, not ${quote(text)}`;
}

function timeFault(text: string): Fault {
  // Bare digits are a time for readers, but not of RFC 3339.
  const isTime = text.includes('-') && parseInstant(text).kind === 'ok';
  return isTime ? undefined : 'must be a time of RFC 3339, such as 2026-11-29T10:00:00Z';
}

function typeFault(text: string): Fault {
  const fault = checkContentType(text);
  return fault && 'must be type/subtype in ASCII, at most 255 characters';
}

function noFault(): Fault {
  return undefined;
}

function reject(reason: string): ParsedAttribute {
  return { kind: 'reject', reason };
}
