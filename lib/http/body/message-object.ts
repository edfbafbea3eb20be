/**
 * A message object of the API as a message (api, "A message, in both directions"). The body of `json`
 * and the headers are taken as they stand in the source, byte for byte.
 */
import { type BatchBuilder, encodeText, type MessageInput } from '../../services/batch-builder.ts';
import { invalid } from '../../services/log-error.ts';
import { type JsonPiece, scanMembers } from '../../wire/json-text.ts';
import { notSupported } from '../query.ts';
import {
  asObject,
  isObject,
  isWrittenAsInteger,
  type JsonObject,
  parseExactJson,
} from './json-body.ts';

const BODY_MEMBERS = ['json', 'text', 'base64'] as const;
const OTHER_MEMBERS = new Set([
  'key',
  'routing_key',
  'headers',
  'properties',
  'content_type',
  'publishing_id',
  // Given by reads and ignored here, so that what was read can be published.
  'offset',
  'timestamp',
  'attempt',
  'delays',
  'redelivered',
]);
const LATER_MEMBERS = new Set(['delay_ms', 'deliver_at']);

const DEFAULT_TYPES = {
  json: 'application/json',
  text: 'text/plain; charset=utf-8',
  base64: 'application/octet-stream',
} as const;

/** `piece` is where the object stands in `source`, which was parsed to `value`. */
export interface MessageSource {
  readonly source: Uint8Array;
  readonly piece: JsonPiece;
  readonly value: unknown;
  /** Where it stands in the request, for errors. */
  readonly place: string;
}

export function addMessageObject(builder: BatchBuilder, message: MessageSource): void {
  const { place } = message;
  const object = asObject(message.value, place);
  refuseUnknown(object, place);
  const pieces = verbatimPieces(object, message);

  const [kind, ...others] = BODY_MEMBERS.filter((name) => object[name] !== undefined);
  if (kind === undefined || others.length > 0) {
    throw invalid(place, `${place} must have exactly one of json, text and base64`);
  }
  const headers = optionalHeaders(object, { pieces, message });
  builder.add(
    {
      body: body(object, { kind, pieces, message }),
      contentType: optionalText(object, 'content_type', place) ?? DEFAULT_TYPES[kind],
      isJson: kind === 'json',
      ...textMember('key', optionalText(object, 'key', place)),
      ...textMember('routingKey', optionalText(object, 'routing_key', place)),
      ...(headers && { headers }),
      ...optionalProperties(object, { pieces, message }),
      ...publishingId(object, { pieces, message }),
    },
    place,
  );
}

function refuseUnknown(object: JsonObject, place: string): void {
  for (const name of Object.keys(object)) {
    if (OTHER_MEMBERS.has(name) || BODY_MEMBERS.some((known) => known === name)) continue;
    if (LATER_MEMBERS.has(name)) throw notSupported(`${place}.${name}`);
    const field = `${place}.${name.slice(0, 64)}`;
    throw invalid(field, `${field} is not a member of a message`);
  }
}

type Pieces = ReadonlyMap<string, JsonPiece>;

/** Most messages have none of these, and need no look at their source. */
const WRITTEN_MEMBERS = ['json', 'headers', 'properties', 'publishing_id'];

function verbatimPieces(object: JsonObject, { source, piece }: MessageSource): Pieces {
  if (WRITTEN_MEMBERS.every((name) => object[name] === undefined)) return new Map();
  return new Map(scanMembers(source, piece.start).map(({ name, value }) => [name, value]));
}

function slice(source: Uint8Array, piece: JsonPiece | undefined): Uint8Array {
  return source.subarray(piece?.start ?? 0, piece?.end ?? 0);
}

function body(
  object: JsonObject,
  from: {
    readonly kind: (typeof BODY_MEMBERS)[number];
    readonly pieces: Pieces;
    readonly message: MessageSource;
  },
): Uint8Array {
  const { kind, pieces, message } = from;
  const { place, source } = message;
  if (kind === 'json') return slice(source, pieces.get('json'));

  const text = object[kind];
  if (typeof text !== 'string')
    throw invalid(`${place}.${kind}`, `${place}.${kind} must be a string`);
  return kind === 'text'
    ? encodeText(text, `${place}.text`)
    : decodeBase64(text, `${place}.base64`);
}

/** Strict: Node's decoder skips what is no base64, and would store other bytes than were meant. */
function decodeBase64(text: string, field: string): Uint8Array {
  if (text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    return Buffer.from(text, 'base64');
  }
  throw invalid(field, `${field} is not base64 with its padding`);
}

function optionalText(object: JsonObject, name: string, place: string): string | undefined {
  const value = object[name];
  if (value === undefined || typeof value === 'string') return value;
  throw invalid(`${place}.${name}`, `${place}.${name} must be a string`);
}

function textMember(name: 'key' | 'routingKey', value: string | undefined) {
  return value === undefined ? {} : { [name]: value };
}

interface Written {
  readonly pieces: Pieces;
  readonly message: MessageSource;
}

function optionalHeaders(object: JsonObject, from: Written): MessageInput['headers'] {
  const { pieces, message } = from;
  const headers = object['headers'];
  if (headers === undefined) return undefined;
  if (!isObject(headers)) {
    throw invalid(`${message.place}.headers`, `${message.place}.headers must be a JSON object`);
  }
  return { parsed: headers, text: slice(message.source, pieces.get('headers')) };
}

/** Read again, exactly: the first parser may have rounded an integer among them. */
function optionalProperties(
  object: JsonObject,
  { pieces, message }: Written,
): Pick<MessageInput, 'properties'> {
  if (object['properties'] === undefined) return {};
  const place = `${message.place}.properties`;
  const exact = parseExactJson(slice(message.source, pieces.get('properties')), place);
  return { properties: asObject(exact, place) };
}

function publishingId(
  object: JsonObject,
  { pieces, message }: Written,
): Pick<MessageInput, 'publishingId'> {
  const id = object['publishing_id'];
  if (id === undefined) return {};
  const isExact = isWrittenAsInteger(slice(message.source, pieces.get('publishing_id')));
  if (isExact && typeof id === 'number' && Number.isSafeInteger(id) && id >= 0) {
    return { publishingId: id };
  }
  const field = `${message.place}.publishing_id`;
  throw invalid(field, `${field} must be an integer from 0 to 2^53 - 1`);
}
