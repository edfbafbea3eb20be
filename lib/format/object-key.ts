/**
 * The names of objects, built and parsed here only:
 *
 *   {hh}/{stream id}/c/{ulid}                        the chunks of one commit
 *   {hh}/{stream id}/s/{first20}-{end20}-{ulid}      a sealed segment, or a piece of one: [first, end)
 *   {hh}/{stream or exchange id}/h/{ulid}            large messages that one commit holds for it
 *
 * `hh` are two hex digits of the stream id's CRC-32, so that streams spread over the prefixes by which
 * an object store divides its load.
 */
import { crc32 } from 'node:zlib';
import { assert } from '../core/assert.ts';
import { type StreamId, streamId } from '../core/log/ids.ts';
import { formatUlid, parseUlid, type Ulid } from './ulid.ts';

export interface ChunkObjectKey {
  readonly streamId: StreamId;
  readonly ulid: Ulid;
}

export interface SegmentObjectKey {
  readonly streamId: StreamId;
  /** Offsets [first, end) of its messages, of which there is one at least. */
  readonly first: number;
  readonly end: number;
  readonly ulid: Ulid;
}

/** As many as an unsigned number of 64 bits has, so that names sort by offset. */
const OFFSET_DIGITS = 20;

/** What the names of all objects of a stream begin with, and of no other. */
export function streamPrefix(id: StreamId): string {
  const spread = (crc32(id) & 0xff).toString(16).padStart(2, '0');
  return `${spread}/${id}/`;
}

/** What the names of all its chunk objects begin with: they sort by the time they were minted. */
export function chunkPrefix(id: StreamId): string {
  return `${streamPrefix(id)}c/`;
}

export function chunkObjectName({ streamId: id, ulid }: ChunkObjectKey): string {
  return `${chunkPrefix(id)}${formatUlid(ulid)}`;
}

/** No collector looks at these: items refer to them that are in no stream's index. */
export function heldObjectName(target: StreamId, ulid: Ulid): string {
  return `${streamPrefix(target)}h/${formatUlid(ulid)}`;
}

/** Undefined for the name of anything else. */
export function parseChunkObjectName(name: string): ChunkObjectKey | undefined {
  const [, id, text] = /^[0-9a-f]{2}\/([0-9a-f]{32})\/c\/([0-9A-Z]{26})$/.exec(name) ?? [];
  const ulid = text === undefined ? undefined : parseUlid(text);
  if (id === undefined || ulid === undefined) return undefined;
  const key = { streamId: streamId(id), ulid };
  return chunkObjectName(key) === name ? key : undefined;
}

/** What the names of all its segment objects begin with: they sort by their first offset. */
export function segmentPrefix(id: StreamId): string {
  return `${streamPrefix(id)}s/`;
}

export function segmentObjectName({ streamId: id, first, end, ulid }: SegmentObjectKey): string {
  assert(isRange(first, end), () => `[${first}, ${end}) is no range of a segment`);
  return `${segmentPrefix(id)}${offsetDigits(first)}-${offsetDigits(end)}-${formatUlid(ulid)}`;
}

/** Undefined for the name of anything else. */
export function parseSegmentObjectName(name: string): SegmentObjectKey | undefined {
  const [, id, firstDigits, endDigits, text] =
    /^[0-9a-f]{2}\/([0-9a-f]{32})\/s\/([0-9]{20})-([0-9]{20})-([0-9A-Z]{26})$/.exec(name) ?? [];
  const ulid = text === undefined ? undefined : parseUlid(text);
  const [first, end] = [Number(firstDigits), Number(endDigits)];
  if (id === undefined || ulid === undefined || !isRange(first, end)) return undefined;
  const key = { streamId: streamId(id), first, end, ulid };
  return segmentObjectName(key) === name ? key : undefined;
}

function isRange(first: number, end: number): boolean {
  return Number.isSafeInteger(first) && Number.isSafeInteger(end) && first >= 0 && first < end;
}

function offsetDigits(offset: number): string {
  return String(offset).padStart(OFFSET_DIGITS, '0');
}
