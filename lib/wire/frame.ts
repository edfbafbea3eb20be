/**
 * Frames: a body of `application/vnd.varve.messages` is one after the other, read and published alike.
 *
 *   'V' 0x56 | version 0x01 | flags u8 | varint count
 *   | [varint base offset, varint timestamp ms]              flag 1: as reads give them, ignored in a publish
 *   | [varint first publishing id, count - 1 varint steps]   flag 2: ids of a named publisher, steps >= 1
 *   | varint bytes of the records | records
 */
import { Malformed, VarintReader, varintBytes, writeVarint } from './varint.ts';

export const MESSAGES_TYPE = 'application/vnd.varve.messages';

const MAGIC = 0x56;
const VERSION = 1;
/** Other flags are refused: a later version may define them. */
const POSITIONED = 1;
const IDENTIFIED = 2;
const PREFIX_BYTES = 3;

export interface Frame {
  readonly count: number;
  readonly records: Uint8Array;
  /** Where the first message stands and when the service took all of them in. */
  readonly position?: { readonly base: number; readonly timestampMs: number };
  readonly publishingIds?: readonly number[];
}

/** The frame up to its records: a reader sends it, then the records as they are stored. */
export function encodeFrameHeader(frame: Frame): Uint8Array {
  const numbers = [frame.count, ...positionNumbers(frame), ...idSteps(frame), frame.records.length];
  const size = numbers.reduce((sum, value) => sum + varintBytes(value), PREFIX_BYTES);

  const target = new Uint8Array(size);
  target[0] = MAGIC;
  target[1] = VERSION;
  target[2] = (frame.position ? POSITIONED : 0) | (frame.publishingIds ? IDENTIFIED : 0);
  numbers.reduce((position, value) => writeVarint(target, value, position), PREFIX_BYTES);
  return target;
}

/** A frame as clients publish it. Each of `records` is one message, encoded before. */
export function encodeFrame(
  records: readonly Uint8Array[],
  publishingIds?: readonly number[],
): Uint8Array<ArrayBuffer> {
  const count = records.length;
  const joined = joinBytes(records);
  const ids = publishingIds && { publishingIds };
  return joinBytes([encodeFrameHeader({ count, records: joined, ...ids }), joined]);
}

function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const target = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  parts.reduce((position, part) => {
    target.set(part, position);
    return position + part.length;
  }, 0);
  return target;
}

function positionNumbers({ position }: Frame): number[] {
  return position === undefined ? [] : [position.base, position.timestampMs];
}

function idSteps({ publishingIds }: Frame): number[] {
  return publishingIds?.map((id, index) => id - (publishingIds[index - 1] ?? 0)) ?? [];
}

/** The records of the frames are views of `source`. Throws {@link Malformed}. */
export function decodeFrames(source: Uint8Array): Frame[] {
  return [...readFrames(source)];
}

/** The same one by one: 4 MiB of empty frames are 800 000 of them, which took 270 MB at once. */
export function* readFrames(source: Uint8Array): Generator<Frame, void, void> {
  const reader = new VarintReader(source);
  while (reader.position < source.length) yield decodeFrame(reader);
}

function decodeFrame(reader: VarintReader): Frame {
  const start = reader.position;
  const [magic, version, flags = 0] = reader.take(PREFIX_BYTES, 'frame');
  if (magic !== MAGIC || version !== VERSION) {
    throw new Malformed(`no frame of version ${VERSION} at ${start}`);
  }
  if ((flags & ~(POSITIONED | IDENTIFIED)) !== 0) {
    throw new Malformed(`frame at ${start} has unknown flags ${flags}`);
  }
  const count = reader.next('message count');
  const position = (flags & POSITIONED) === 0 ? undefined : decodePosition(reader);
  const publishingIds = (flags & IDENTIFIED) === 0 ? undefined : decodeIds(reader, count);
  const records = reader.take(reader.next('record bytes'), 'records');
  return { count, records, ...(position && { position }), ...(publishingIds && { publishingIds }) };
}

function decodePosition(reader: VarintReader) {
  return { base: reader.next('base offset'), timestampMs: reader.next('timestamp') };
}

function decodeIds(reader: VarintReader, count: number): number[] {
  const ids: number[] = [];
  let id = 0;
  for (let index = 0; index < count; index++) {
    id += reader.next('publishing id');
    if (id > Number.MAX_SAFE_INTEGER) throw new Malformed(`publishing id above 2^53 - 1`);
    ids.push(id);
  }
  return ids;
}
