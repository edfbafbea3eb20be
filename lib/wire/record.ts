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
const PART_BITS = KEY | ROUTING_KEY | HEADERS | PROPERTIES;
const PART_SHIFT = 2;
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
  let size = 0;
  for (const { rest } of prepared) size += varintBytes(rest) + rest;

  const target = new Uint8Array(size);
  let position = 0;
  for (const record of prepared) position = writeRecord(target, record, position);
  return target;
}

interface PreparedRecord {
  readonly form: number;
  readonly parts: readonly (Uint8Array | undefined)[];
  readonly body: Uint8Array;
  /** Bytes behind the length. */
  readonly rest: number;
}

const NO_PARTS: PreparedRecord['parts'] = [];

function prepareRecord(record: WireRecord): PreparedRecord {
  const { body, contentType, key, routingKey, headers, properties } = record;
  const type = typeNumber(contentType);
  const bits = form(record, type);
  // A body alone is the commonest message by far.
  if (bits === type && type !== NAMED_TYPE) {
    return { form: bits, parts: NO_PARTS, body, rest: 1 + body.length };
  }
  const named = type === NAMED_TYPE ? encoder.encode(contentType) : undefined;
  const parts = [named, key, routingKey, headers, properties];
  const rest = parts.reduce((sum, part) => sum + partBytes(part), 1 + body.length);
  return { form: bits, parts, body, rest };
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
  const start = reader.position;
  reader.skip(length, 'record');
  const bits = length > 0 ? (reader.source[start] ?? 0) : noForm(start);
  if ((bits & UNUSED_BITS) !== 0) {
    throw new Malformed(`record before ${reader.position} has unknown form bits`);
  }
  const contentType = NUMBERED_TYPES[bits];
  // A body of a numbered type alone, the commonest message by far, needs no second reader.
  if (contentType !== undefined) {
    return { body: reader.source.subarray(start + 1, reader.position), contentType };
  }
  return decodeParts(bits, new VarintReader(reader.source.subarray(start + 1, reader.position)));
}

function noForm(start: number): never {
  throw new Malformed(`record form at ${start} is cut off`);
}

function decodeParts(bits: number, inside: VarintReader): WireRecord {
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
    reader.skip(reader.next('record length'), 'record');
  }
  return reader.position;
}

/** Logical bytes of the first `count` records. */
export function logicalBytes(records: Uint8Array, count: number): number {
  if (count === 0) return 0;
  const reader = new VarintReader(records);
  let bytes = 0;
  for (let index = 0; index < count; index++) bytes += skipRecord(reader);
  return bytes;
}

/** Moves behind the record at the reader's position and returns its logical size. */
export function skipRecord(reader: VarintReader): number {
  const length = reader.next('record length');
  const start = reader.position;
  const bits = reader.byte('record form');
  if ((bits & TYPE_BITS) === NAMED_TYPE) reader.skip(reader.next('part length'), 'part');

  let bytes = 0;
  for (let parts = (bits & PART_BITS) >> PART_SHIFT; parts !== 0; parts &= parts - 1) {
    const partLength = reader.next('part length');
    reader.skip(partLength, 'part');
    bytes += partLength;
  }
  const body = start + length - reader.position;
  // Without this the reader would move backwards, and meet the same record again.
  if (body < 0)
    throw new Malformed(`record of ${length} bytes at ${start} is exceeded by its parts`);
  reader.skip(body, 'body');
  return bytes + body;
}

/** The headers of the record at the reader's position, which stays there: no other part is looked at. */
export function recordHeaders(reader: VarintReader): Uint8Array | undefined {
  const start = reader.position;
  reader.next('record length');
  const bits = reader.byte('record form');
  const headers = (bits & HEADERS) === 0 ? undefined : headersBehind(bits, reader);
  reader.position = start;
  return headers;
}

function headersBehind(bits: number, reader: VarintReader): Uint8Array {
  if ((bits & TYPE_BITS) === NAMED_TYPE) reader.skip(reader.next('part length'), 'part');
  for (let parts = bits & (KEY | ROUTING_KEY); parts !== 0; parts &= parts - 1) {
    reader.skip(reader.next('part length'), 'part');
  }
  return part(reader);
}

export interface PlainRecords {
  /** Logical bytes of all of them, and of the largest. */
  readonly bytes: number;
  readonly largest: number;
  /** True when one of them is of the type `application/json`. */
  readonly hasJson: boolean;
}

const PLAIN_BITS = TYPE_BITS | KEY | ROUTING_KEY;
const strictDecoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Looks over exactly `count` records that hold nothing but a body of a numbered type and keys in UTF-8:
 * then there is nothing else to check, and they can be stored as they are. Undefined when one holds more,
 * or is not right; which of the two is for a look at each to tell.
 */
export function lookOverPlain(records: Uint8Array, count: number): PlainRecords | undefined {
  const reader = new VarintReader(records);
  let [bytes, largest, hasJson] = [0, 0, false];
  try {
    for (let index = 0; index < count; index++) {
      const form = records[reader.position + lengthBytes(records, reader.position)] ?? UNUSED_BITS;
      if ((form & ~PLAIN_BITS) !== 0 || (form & TYPE_BITS) === NAMED_TYPE) return undefined;
      if ((form & (KEY | ROUTING_KEY)) !== 0) checkKeys(records, reader.position);

      const size = skipRecord(reader);
      bytes += size;
      if (size > largest) largest = size;
      hasJson ||= (form & TYPE_BITS) === 0;
    }
  } catch {
    return undefined;
  }
  return reader.position === records.length ? { bytes, largest, hasJson } : undefined;
}

function lengthBytes(source: Uint8Array, start: number): number {
  let position = start;
  while ((source[position] ?? 0) >= 0x80) position++;
  return position - start + 1;
}

/** Throws when a key is no UTF-8. */
function checkKeys(records: Uint8Array, start: number): void {
  const { key, routingKey } = decodeRecord(new VarintReader(records, start));
  if (key !== undefined) strictDecoder.decode(key);
  if (routingKey !== undefined) strictDecoder.decode(routingKey);
}
