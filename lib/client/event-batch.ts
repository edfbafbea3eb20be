/**
 * The messages of a `batch` event, out of its JSON text: a `json` body and headers are taken as they
 * stand, byte for byte; `text` and `base64` become the bytes that were published.
 */
import { type JsonPiece, scanElements, scanMembers } from '../wire/json-text.ts';
import { badAnswer } from './client-error.ts';
import { Message } from './message.ts';
import { integer } from './page.ts';

const DEFAULT_TYPES = {
  json: 'application/json',
  text: 'text/plain; charset=utf-8',
  base64: 'application/octet-stream',
} as const;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export interface EventBatch {
  readonly messages: readonly Message[];
  /** Where reading goes on. */
  readonly next: number;
}

/** `{"messages":[…],"next":4,"tail":4}` */
export function decodeEventBatch(data: Uint8Array): EventBatch {
  try {
    const members = membersOf(data, 0);
    const messages = members.get('messages');
    if (messages === undefined) throw badAnswer('a batch event has no messages');
    return {
      messages: scanElements(data, messages.start).map(({ start }) => decodeMessage(data, start)),
      next: integer(textOf(data, members.get('next')), 'next'),
    };
  } catch (cause) {
    // Only texts between quotes are parsed, and base64: what else is wrong shows as a missing member.
    if (!(cause instanceof SyntaxError || cause instanceof DOMException)) throw cause;
    throw badAnswer('a batch event is malformed', cause);
  }
}

type Members = ReadonlyMap<string, JsonPiece>;

function membersOf(source: Uint8Array, start: number): Members {
  return new Map(scanMembers(source, start).map(({ name, value }) => [name, value]));
}

function decodeMessage(source: Uint8Array, start: number): Message {
  const members = membersOf(source, start);
  const place = {
    offset: integer(textOf(source, members.get('offset')), 'offset'),
    timestamp: integer(textOf(source, members.get('timestamp')), 'timestamp'),
  };
  const key = stringOf(source, members.get('key'));
  const routingKey = stringOf(source, members.get('routing_key'));
  const headers = bytesOf(source, members.get('headers'));
  const properties = bytesOf(source, members.get('properties'));
  return new Message(place, {
    ...decodeBody(source, members),
    ...(key !== undefined && { key: encoder.encode(key) }),
    ...(routingKey !== undefined && { routingKey: encoder.encode(routingKey) }),
    ...(headers && { headers }),
    ...(properties && { properties }),
  });
}

function decodeBody(source: Uint8Array, members: Members) {
  const contentType = stringOf(source, members.get('content_type'));
  const json = bytesOf(source, members.get('json'));
  if (json !== undefined) return { body: json, contentType: contentType ?? DEFAULT_TYPES.json };

  const text = stringOf(source, members.get('text'));
  if (text !== undefined) {
    return { body: encoder.encode(text), contentType: contentType ?? DEFAULT_TYPES.text };
  }
  const base64 = stringOf(source, members.get('base64'));
  if (base64 === undefined) throw badAnswer('a message of an event has no body');
  return { body: decodeBase64(base64), contentType: contentType ?? DEFAULT_TYPES.base64 };
}

function bytesOf(source: Uint8Array, piece: JsonPiece | undefined): Uint8Array | undefined {
  return piece && source.subarray(piece.start, piece.end);
}

function textOf(source: Uint8Array, piece: JsonPiece | undefined): string | undefined {
  return piece && decoder.decode(bytesOf(source, piece));
}

/** A lone string has no names, which is what a parser may misread. */
function stringOf(source: Uint8Array, piece: JsonPiece | undefined): string | undefined {
  const text = textOf(source, piece);
  return text === undefined ? undefined : String(JSON.parse(text));
}

/** `atob` is the one decoder that every runtime has. */
function decodeBase64(base64: string): Uint8Array {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}
