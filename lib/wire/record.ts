/**
 * A record: one message as bytes, the same on the wire and in a chunk.
 *
 *   varint length of the rest | form u8 | [content type] [key] [routing key] [headers] [properties] | body
 *
 * Each part in brackets is a varint length and UTF-8 bytes, present when `form` says so; headers and
 * properties are JSON objects as text, so their numbers keep every digit. The body is what remains.
 * Checks the structure only: what a message may hold is decided above.
 */
import { Malformed, VarintReader, varintBytes, writeVarint } from './varint.ts';

export interface WireRecord {
  readonly body: Uint8Array;
  readonly contentType: string;
  readonly key?: Uint8Array;
  readonly routingKey?: Uint8Array;
  readonly headers?: Uint8Array;
  readonly properties?: Uint8Array;
}

/** Content types with a number of their own; the number 3 says that the name follows. */
const NUMBERED_TYPES: readonly string[] = [
  'application/json',
  'text/plain; charset=utf-8',
  'application/octet-stream',
];
const NAMED_TYPE = 3;
const TYPE_BITS = 0b11;

const KEY = 1 << 2;
const ROUTING_KEY = 1 << 3;
const HEADERS = 1 << 4;
const PROPERTIES = 1 << 5;
const UNUSED_BITS = 0b1100_0000;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Logical size of a message: what limits, `max_bytes` and retention count (SPEC Words). */
export function recordBytes(record: WireRecord): number {
  return (
    record.body.length +
    (record.key?.length ?? 0) +
    (record.routingKey?.length ?? 0) +
    (record.headers?.length ?? 0) +
    (record.properties?.length ?? 0)
  );
}

/** Encodes messages one after the other into one array of exactly their size. */
export function encodeRecords(records: readonly WireRecord[]): Uint8Array {
  const prepared = records.map(prepareRecord);
  const size = prepared.reduce((sum, { rest }) => sum + varintBytes(rest) + rest, 0);
  const target = new Uint8Array(size);
  prepared.reduce((position, record) => writeRecord(target, record, position), 0);
  return target;
}

interface PreparedRecord {
  readonly form: number;
  readonly parts: readonly (Uint8Array | undefined)[];
  readonly body: Uint8Array;
  /** Bytes behind the length. */
  readonly rest: number;
}

function prepareRecord(record: WireRecord): PreparedRecord {
  const { body, contentType, key, routingKey, headers, properties } = record;
  const type = typeNumber(contentType);
  const named = type === NAMED_TYPE ? encoder.encode(contentType) : undefined;
  const parts = [named, key, routingKey, headers, properties];
  const rest = parts.reduce((sum, part) => sum + partBytes(part), 1 + body.length);
  return { form: form(record, type), parts, body, rest };
}

function writeRecord(target: Uint8Array, record: PreparedRecord, start: number): number {
  let position = writeVarint(target, record.rest, start);
  target[position++] = record.form;
  for (const part of record.parts) {
    if (part === undefined) continue;
    position = writeVarint(target, part.length, position);
    target.set(part, position);
    position += part.length;
  }
  target.set(record.body, position);
  return position + record.body.length;
}

function typeNumber(contentType: string): number {
  const index = NUMBERED_TYPES.indexOf(contentType);
  return index < 0 ? NAMED_TYPE : index;
}

function partBytes(part: Uint8Array | undefined): number {
  return part === undefined ? 0 : varintBytes(part.length) + part.length;
}

function form(record: WireRecord, type: number): number {
  return (
    type |
    (record.key === undefined ? 0 : KEY) |
    (record.routingKey === undefined ? 0 : ROUTING_KEY) |
    (record.headers === undefined ? 0 : HEADERS) |
    (record.properties === undefined ? 0 : PROPERTIES)
  );
}

/** Reads the record at the reader's position; its parts are views of the source. */
export function decodeRecord(reader: VarintReader): WireRecord {
  const length = reader.next('record length');
  const end = reader.position + length;
  const inside = new VarintReader(reader.take(length, 'record'));
  const bits = inside.take(1, 'record form')[0] ?? 0;
  if ((bits & UNUSED_BITS) !== 0) throw new Malformed(`record before ${end} has unknown form bits`);

  const contentType = decodeType(bits & TYPE_BITS, inside);
  const key = optionalPart(bits & KEY, inside);
  const routingKey = optionalPart(bits & ROUTING_KEY, inside);
  const headers = optionalPart(bits & HEADERS, inside);
  const properties = optionalPart(bits & PROPERTIES, inside);
  return {
    body: inside.source.subarray(inside.position),
    contentType,
    ...(key && { key }),
    ...(routingKey && { routingKey }),
    ...(headers && { headers }),
    ...(properties && { properties }),
  };
}

function decodeType(type: number, inside: VarintReader): string {
  return NUMBERED_TYPES[type] ?? decoder.decode(part(inside));
}

function optionalPart(present: number, inside: VarintReader): Uint8Array | undefined {
  return present === 0 ? undefined : part(inside);
}

function part(inside: VarintReader): Uint8Array {
  return inside.take(inside.next('part length'), 'part');
}

/** Where the record with this index begins, without decoding those before it. */
export function recordStart(records: Uint8Array, index: number): number {
  const reader = new VarintReader(records);
  for (let skipped = 0; skipped < index; skipped++) {
    reader.take(reader.next('record length'), 'record');
  }
  return reader.position;
}

/** Moves behind the record at the reader's position and returns its logical size. */
export function skipRecord(reader: VarintReader): number {
  const length = reader.next('record length');
  const start = reader.position;
  const bits = reader.take(1, 'record form')[0] ?? 0;
  if ((bits & TYPE_BITS) === NAMED_TYPE) reader.take(reader.next('part length'), 'part');

  let bytes = 0;
  for (const present of [KEY, ROUTING_KEY, HEADERS, PROPERTIES]) {
    if ((bits & present) === 0) continue;
    const partLength = reader.next('part length');
    reader.take(partLength, 'part');
    bytes += partLength;
  }
  const body = start + length - reader.position;
  // Without this the reader would move backwards, and meet the same record again.
  if (body < 0)
    throw new Malformed(`record of ${length} bytes at ${start} is exceeded by its parts`);
  reader.take(body, 'body');
  return bytes + body;
}
