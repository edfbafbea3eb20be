/**
 * What a message may be, whatever form it came in (SPEC P6, P10). Headers are checked for ever from
 * the first publish on: what readers, filters and routing rely on must not be stored wrong.
 */
import { CONTENT_TYPE_BYTES_MAX, HEADERS_BYTES_MAX, MESSAGE_BYTES_MAX } from './limits.ts';

export interface RejectedMessage {
  readonly kind: 'reject';
  readonly code: 'invalid_request' | 'message_too_large';
  /** The member of the message at fault. */
  readonly field: string;
  readonly reason: string;
  readonly limit?: number;
  readonly actual?: number;
}

export type HeadersPlan =
  /** `dropped` are members that only the service may write (SPEC DL7). */
  { readonly kind: 'ok'; readonly dropped: readonly string[] } | RejectedMessage;

const FILTER_VALUE = 'x-stream-filter-value';
const ROUTING_LISTS = ['CC', 'BCC'];
const DEATH = 'x-death';
const FIRST_DEATH = 'x-first-death-';

export function planHeaders(headers: Readonly<Record<string, unknown>>): HeadersPlan {
  const filterValue = headers[FILTER_VALUE];
  if (Object.hasOwn(headers, FILTER_VALUE) && typeof filterValue !== 'string') {
    return rejectHeader(FILTER_VALUE, 'must be a string');
  }
  const list = ROUTING_LISTS.find(
    (name) => Object.hasOwn(headers, name) && !isTextList(headers[name]),
  );
  if (list !== undefined) return rejectHeader(list, 'must be an array of strings');

  const dropped = Object.keys(headers).filter(
    (name) => name === DEATH || name.startsWith(FIRST_DEATH),
  );
  return { kind: 'ok', dropped };
}

function rejectHeader(name: string, reason: string): RejectedMessage {
  const field = `headers.${name}`;
  return { kind: 'reject', code: 'invalid_request', field, reason: `header ${name} ${reason}` };
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Sizes are logical, see SPEC Words. Undefined when the message keeps to its limits. */
export function checkSizes(sizes: {
  readonly messageBytes: number;
  readonly headersBytes: number;
}): RejectedMessage | undefined {
  const { messageBytes, headersBytes } = sizes;
  if (headersBytes > HEADERS_BYTES_MAX) {
    return tooLarge('headers', { limit: HEADERS_BYTES_MAX, actual: headersBytes });
  }
  if (messageBytes <= MESSAGE_BYTES_MAX) return undefined;
  return tooLarge('message', { limit: MESSAGE_BYTES_MAX, actual: messageBytes });
}

function tooLarge(
  field: 'message' | 'headers',
  { limit, actual }: { readonly limit: number; readonly actual: number },
): RejectedMessage {
  const reason = `${field} of ${actual} bytes: the ${field} limit is ${limit} bytes`;
  return { kind: 'reject', code: 'message_too_large', field, reason, limit, actual };
}

/** Undefined when the type can be stored and given back as a header value. */
export function checkContentType(contentType: string): RejectedMessage | undefined {
  if (contentType.length <= CONTENT_TYPE_BYTES_MAX && /^[!-~]+\/[ -~]*[!-~]$/.test(contentType)) {
    return undefined;
  }
  const reason = `content_type must be type/subtype in ASCII, at most ${CONTENT_TYPE_BYTES_MAX} characters`;
  return { kind: 'reject', code: 'invalid_request', field: 'content_type', reason };
}

/** Whether bodies of this type are JSON text: `application/json` and every `…+json`. */
export function isJsonType(contentType: string): boolean {
  if (contentType === 'application/json') return true;
  const essence = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return essence === 'application/json' || essence.endsWith('+json');
}

export function isTextType(contentType: string): boolean {
  return contentType.slice(0, 'text/'.length).toLowerCase() === 'text/';
}
