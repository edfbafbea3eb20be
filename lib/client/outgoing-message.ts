/** A message as it is published, encoded and measured before anything of it is sent. */
import { encodeRecords, recordBytes, type WireRecord } from '../wire/record.ts';
import { HEADERS_BYTES_MAX, MESSAGE_BYTES_MAX } from '../wire/request-limits.ts';
import { ClientError, invalid } from './client-error.ts';
import type { OutgoingDelay } from './outgoing-delay.ts';

/** Exactly one of them is the body; the content type follows from it unless it is given. */
export type OutgoingBody =
  | { readonly json: unknown }
  | { readonly text: string }
  | { readonly body: Uint8Array };

/** By their names of the API; `expiration` is digits, milliseconds. */
export interface OutgoingProperties {
  readonly message_id?: string;
  readonly correlation_id?: string;
  readonly reply_to?: string;
  readonly type?: string;
  readonly app_id?: string;
  readonly user_id?: string;
  readonly content_encoding?: string;
  readonly expiration?: string;
  readonly priority?: number;
  readonly timestamp?: number;
}

export type OutgoingMessage = OutgoingBody &
  OutgoingDelay & {
    readonly contentType?: string;
    readonly key?: string;
    readonly routingKey?: string;
    readonly headers?: { readonly [name: string]: unknown };
    readonly properties?: OutgoingProperties;
    /** For named publishers whose source has numbers of its own: given with every message, rising. */
    readonly publishingId?: number;
  };

const encoder = new TextEncoder();

/** One record. Throws what would have made the server refuse the request with all its neighbours. */
export function encodeMessage(message: OutgoingMessage): Uint8Array {
  const { key, routingKey, headers, properties } = message;
  const record: WireRecord = {
    ...encodeBody(message),
    ...(key !== undefined && { key: encodeText(key, 'key') }),
    ...(routingKey !== undefined && { routingKey: encodeText(routingKey, 'routingKey') }),
    ...(headers && { headers: encodeJson(headers, 'headers') }),
    ...(properties && { properties: encodeJson(properties, 'properties') }),
  };
  refuseLarge('headers', record.headers?.length ?? 0, HEADERS_BYTES_MAX);
  refuseLarge('message', recordBytes(record), MESSAGE_BYTES_MAX);
  return encodeRecords([record]);
}

function encodeBody(message: OutgoingMessage): Pick<WireRecord, 'body' | 'contentType'> {
  const given = ['json', 'text', 'body'].filter((name) => Object.hasOwn(message, name));
  if (given.length !== 1) {
    throw invalid('message', 'a message has exactly one of json, text and body');
  }
  const { contentType } = message;
  if ('json' in message) {
    const body = encodeJson(message.json, 'json');
    return { body, contentType: contentType ?? 'application/json' };
  }
  if ('text' in message) {
    const body = encodeText(message.text, 'text');
    return { body, contentType: contentType ?? 'text/plain; charset=utf-8' };
  }
  if (!(message.body instanceof Uint8Array)) throw invalid('body', 'body must be a Uint8Array');
  return { body: message.body, contentType: contentType ?? 'application/octet-stream' };
}

/** Half a surrogate pair has no UTF-8: it would be stored as another character (SPEC P10). */
function encodeText(text: string, field: string): Uint8Array {
  if (typeof text !== 'string') throw invalid(field, `${field} must be a string`);
  if (!text.isWellFormed()) throw invalid(field, `${field} holds half a surrogate pair`);
  return encoder.encode(text);
}

function encodeJson(value: unknown, field: string): Uint8Array {
  const text = stringify(value, field);
  if (text === undefined) throw invalid(field, `${field} has no JSON form`);
  return encoder.encode(text);
}

function stringify(value: unknown, field: string): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw invalid(field, `${field} has no JSON form`, cause);
  }
}

function refuseLarge(field: string, actual: number, limit: number): void {
  if (actual <= limit) return;
  throw new ClientError(`${field} of ${actual} bytes: the ${field} limit is ${limit} bytes`, {
    code: 'message_too_large',
    details: { field, limit, actual },
  });
}
