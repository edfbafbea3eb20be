/**
 * The identities of the log: offsets, stream, publisher and consumer names, stream ids. Branded, so that one
 * never stands in for another; each comes into being in this file only.
 */
import { assert } from '../assert.ts';
import { quote } from '../quote.ts';
import { NAME_BYTES_MAX } from './limits.ts';

/** A position in a stream: 0, 1, 2 …, exact as a number up to 2^53 - 1. */
export type Offset = number & { readonly brand: 'Offset' };
export type StreamName = string & { readonly brand: 'StreamName' };
export type PublisherName = string & { readonly brand: 'PublisherName' };
export type ConsumerName = string & { readonly brand: 'ConsumerName' };
/** Tells incarnations of one name apart: 128 bits as 32 lower-case hex digits. */
export type StreamId = string & { readonly brand: 'StreamId' };

interface Rejected {
  readonly kind: 'reject';
  readonly reason: string;
}

export type ParsedName<Name extends string> =
  | { readonly kind: 'ok'; readonly name: Name }
  | Rejected;

/** These belong to the service, as in AMQP 0.9.1, where a broker owns `amq.` (SPEC P9). */
const RESERVED_PREFIXES = ['amq.', 'varve.'];

const TAG_PREFIX = 'amq.ctag-';

/** For offsets that this program computed or stored; throws AssertionFailed on any other number. */
export function offset(n: number): Offset {
  assert(
    Number.isSafeInteger(n) && n >= 0,
    () => `an offset is an integer from 0 to 2^53 - 1, not ${n}`,
  );
  return n as Offset;
}

/** For ids that this program drew or stored; throws AssertionFailed on any other text. */
export function streamId(text: string): StreamId {
  assert(
    /^[0-9a-f]{32}$/.test(text),
    () => `a stream id is 32 lower-case hex digits, not ${quote(text)}`,
  );
  return text as StreamId;
}

/** What every kind of name must hold to (SPEC P9); compared and listed byte for byte. */
export function parseName(text: string): ParsedName<string> {
  const reason = nameFault(text);
  return reason === undefined ? { kind: 'ok', name: text } : { kind: 'reject', reason };
}

export function parseStreamName(text: string): ParsedName<StreamName> {
  const parsed = parseName(text);
  return parsed.kind === 'ok' ? { kind: 'ok', name: parsed.name as StreamName } : parsed;
}

export function parsePublisherName(text: string): ParsedName<PublisherName> {
  const parsed = parseName(text);
  return parsed.kind === 'ok' ? { kind: 'ok', name: parsed.name as PublisherName } : parsed;
}

/** `amq.ctag-…`, which brokers give to consumers that have no name, is taken as well (SPEC C5). */
export function parseConsumerName(text: string): ParsedName<ConsumerName> {
  const reason = text.startsWith(TAG_PREFIX) ? formFault(text) : nameFault(text);
  return reason === undefined
    ? { kind: 'ok', name: text as ConsumerName }
    : { kind: 'reject', reason };
}

/** Offsets of such a consumer are never stored (SPEC C5). */
export function isNeverStored(name: ConsumerName): boolean {
  return name.startsWith(TAG_PREFIX);
}

function nameFault(text: string): string | undefined {
  return formFault(text) ?? reservedFault(text);
}

function formFault(text: string): string | undefined {
  // A lone surrogate has no UTF-8: two different names would be stored as one with U+FFFD.
  if (!text.isWellFormed()) return `${quote(text)} holds half a surrogate pair: send valid Unicode`;
  return lengthFault(text) ?? characterFault(text);
}

function lengthFault(text: string): string | undefined {
  if (text === '') return `a name is empty: give it 1 to ${NAME_BYTES_MAX} bytes`;

  const bytes = new TextEncoder().encode(text).length;
  if (bytes <= NAME_BYTES_MAX) return undefined;
  return `${quote(text)} has ${bytes} bytes of UTF-8: shorten it to at most ${NAME_BYTES_MAX}`;
}

/** The category Cc is exactly C0, DEL and C1: U+0000 to U+001F and U+007F to U+009F. */
function characterFault(text: string): string | undefined {
  if (!/\p{Cc}/u.test(text)) return undefined;
  return `${quote(text)} holds a control character: leave out U+0000 to U+001F and U+007F to U+009F`;
}

function reservedFault(text: string): string | undefined {
  // Clients and proxies resolve these two in a path, which would then name something else.
  if (text === '.' || text === '..') return `${quote(text)} is a path step: choose another name`;

  const prefix = RESERVED_PREFIXES.find((reserved) => text.startsWith(reserved));
  if (prefix === undefined) return undefined;
  return `${quote(text)} begins with the reserved ${quote(prefix)}: choose another beginning`;
}
