/**
 * The names of objects, built and parsed here only:
 *
 *   {hh}/{stream id}/c/{ulid}    the chunks of one commit
 *
 * `hh` are two hex digits of the stream id's CRC-32, so that streams spread over the prefixes by which
 * an object store divides its load.
 */
import { crc32 } from 'node:zlib';
import { type StreamId, streamId } from '../core/log/ids.ts';
import { formatUlid, parseUlid, type Ulid } from './ulid.ts';

export interface ChunkObjectKey {
  readonly streamId: StreamId;
  readonly ulid: Ulid;
}

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

/** Undefined for the name of anything else. */
export function parseChunkObjectName(name: string): ChunkObjectKey | undefined {
  const [, id, text] = /^[0-9a-f]{2}\/([0-9a-f]{32})\/c\/([0-9A-Z]{26})$/.exec(name) ?? [];
  const ulid = text === undefined ? undefined : parseUlid(text);
  if (id === undefined || ulid === undefined) return undefined;
  const key = { streamId: streamId(id), ulid };
  return chunkObjectName(key) === name ? key : undefined;
}
