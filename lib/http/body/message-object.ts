/**
 * A message object of the API as a message (api, "A message, in both directions"). The body of `json`
 * and the headers are taken as they stand in the source, byte for byte.
 */
import { HEADERS_BYTES_MAX } from '../../core/log/limits.ts';
import { propertiesFault } from '../../core/log/properties.ts';
import { type BatchBuilder, encodeText, type MessageInput } from '../../services/batch-builder.ts';
import { invalid, LogError } from '../../services/log-error.ts';
import { type JsonPiece, visitMembers } from '../../wire/json-text.ts';
import {
  asObject,
  exactValue,
  isObjectAt,
  isWrittenAsInteger,
  type JsonObject,
  pieceOf,
  shallowValue,
} from './json-body.ts';
import { messageDelay } from './message-delay.ts';

const BODY_MEMBERS = ['json', 'text', 'base64'] as const;
const OTHER_MEMBERS = new Set([
  'key',
  'routing_key',
  'headers',
  'properties',
  'content_type',
  'publishing_id',
  'delay_ms',
  'deliver_at',
  // Given by reads and ignored here, so that what was read can be published.
  'offset',
  'timestamp',
  'attempt',
  'delays',
  'redelivered',
]);

const DEFAULT_TYPES = {
  json: 'application/json',
  text: 'text/plain; charset=utf-8',
  base64: 'application/octet-stream',
} as const;

/** `piece` is where the object stands in `source`, which was found to be JSON. */
export interface MessageSource {
  readonly source: Uint8Array;
  readonly piece: JsonPiece;
  /** Where it stands in the request, for errors. */
  readonly place: string;
}

export function addMessageObject(
  builder: BatchBuilder,
  { source, piece, place }: MessageSource,
): void {
  if (!isObjectAt(source, piece)) throw invalid(place, `${place} must be a JSON object`);
  const members = new Members(source, piece, place);
  const [kind, ...others] = BODY_MEMBERS.filter((name) => members.has(name));
  if (kind === undefined || others.length > 0) {
    throw invalid(place, `${place} must have exactly one of json, text and base64`);
  }
  const headers = members.written('headers');
  const properties = members.written('properties');
  builder.add(
    {
      body: body(members, kind),
      contentType: members.text('content_type') ?? DEFAULT_TYPES[kind],
      isJson: kind === 'json',
      ...textMember('key', members.text('key')),
      ...textMember('routingKey', members.text('routing_key')),
      ...(headers && { headers: parseHeaders(headers, `${place}.headers`) }),
      ...(properties && { properties: parseProperties(properties, `${place}.properties`) }),
      ...publishingId(members),
      ...messageDelay(
        { delay_ms: members.exact('delay_ms'), deliver_at: members.exact('deliver_at') },
        (name) => members.field(name),
      ),
    },
    place,
  );
}

/** The members of a message by name, of one that is repeated the last; an unknown one is refused. */
class Members {
  readonly #source: Uint8Array;
  readonly #place: string;
  readonly #pieces = new Map<string, JsonPiece>();

  constructor(source: Uint8Array, { start }: JsonPiece, place: string) {
    this.#source = source;
    this.#place = place;
    visitMembers(source, start, ({ name, value }) => {
      refuseUnknown(name, place);
      this.#pieces.set(name, value);
    });
  }

  field(name: string): string {
    return `${this.#place}.${name}`;
  }

  has(name: string): boolean {
    return this.#pieces.has(name);
  }

  /** As it stands in the source; undefined when it is not there. */
  written(name: string): Uint8Array | undefined {
    const piece = this.#pieces.get(name);
    return piece && this.#source.subarray(piece.start, piece.end);
  }

  /** Undefined when it is not there. */
  exact(name: string): unknown {
    const piece = this.#pieces.get(name);
    return piece && exactValue(this.#source, piece);
  }

  text(name: string): string | undefined {
    const piece = this.#pieces.get(name);
    const value = piece && shallowValue(this.#source, piece);
    if (value === undefined || typeof value === 'string') return value;
    throw invalid(this.field(name), `${this.field(name)} must be a string`);
  }
}

function refuseUnknown(name: string, place: string): void {
  if (OTHER_MEMBERS.has(name) || BODY_MEMBERS.some((known) => known === name)) return;
  const field = `${place}.${name.slice(0, 64)}`;
  throw invalid(field, `${field} is not a member of a message`);
}

function body(members: Members, kind: (typeof BODY_MEMBERS)[number]): Uint8Array {
  if (kind === 'json') return members.written(kind) ?? new Uint8Array();
  const text = members.text(kind) ?? '';
  return kind === 'text'
    ? encodeText(text, members.field(kind))
    : decodeBase64(text, members.field(kind));
}

/** Strict: Node's decoder skips what is no base64, and would store other bytes than were meant. */
export function decodeBase64(text: string, field: string): Uint8Array {
  if (text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    return Buffer.from(text, 'base64');
  }
  throw invalid(field, `${field} is not base64 with its padding`);
}

function textMember(name: 'key' | 'routingKey', value: string | undefined) {
  return value === undefined ? {} : { [name]: value };
}

/** Headers as text and as parsed. The text may hold white space that is not stored, but not without end. */
export function parseHeaders(
  text: Uint8Array,
  place: string,
): NonNullable<MessageInput['headers']> {
  if (text.length > 4 * HEADERS_BYTES_MAX) {
    throw new LogError(
      `${place} of ${text.length} bytes: the limit is ${HEADERS_BYTES_MAX} bytes`,
      {
        code: 'message_too_large',
        details: { field: place, limit: HEADERS_BYTES_MAX, actual: text.length },
      },
    );
  }
  const parsed = JSON.parse(Buffer.from(text).toString('utf8'));
  return { text, parsed: asObject(parsed, place) };
}

/** Each property is a string or an integer, so nothing that is nested is made into a value. */
export function parseProperties(text: Uint8Array, place: string): JsonObject {
  const whole = pieceOf(text);
  if (!isObjectAt(text, whole)) throw invalid(place, `${place} must be a JSON object`);
  const pieces = new Map<string, JsonPiece>();
  // The first of a name is checked as it comes, so that an unknown one is the last that is looked at.
  visitMembers(text, whole.start, ({ name, value }) => {
    if (!pieces.has(name)) refuseFault({ [name]: exactValue(text, value) }, place);
    pieces.set(name, value);
  });
  const properties = [...pieces].map(([name, piece]) => [name, exactValue(text, piece)]);
  const parsed = Object.fromEntries(properties);
  refuseFault(parsed, place);
  return parsed;
}

function refuseFault(properties: JsonObject, place: string): void {
  const fault = propertiesFault(properties);
  if (fault === undefined) return;
  const [, name = ''] = fault.field.split('properties.');
  throw invalid(`${place}.${name}`, `${place}: ${fault.reason}`);
}

function publishingId(members: Members): Pick<MessageInput, 'publishingId'> {
  const written = members.written('publishing_id');
  if (written === undefined) return {};
  const id = isWrittenAsInteger(written) ? Number(Buffer.from(written).toString('latin1')) : -1;
  if (Number.isSafeInteger(id) && id >= 0) return { publishingId: id };
  const field = members.field('publishing_id');
  throw invalid(field, `${field} must be an integer from 0 to 2^53 - 1`);
}
