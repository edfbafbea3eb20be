/** Tells of a stream's segments that hold a retained message: their bounds, sizes, times and files. */
import type { DatabaseSync } from 'node:sqlite';
import { offset } from '../core/log/ids.ts';
import type { SegmentEntry, SegmentQuery, StreamUsage } from '../ports/log-store.ts';
import { PieceTable } from './piece-table.ts';
import type { SegmentFiles } from './segment-files.ts';
import { SegmentTable, type StoredSegment } from './segment-table.ts';
import type { StoredStream } from './stream-table.ts';

export class SegmentReader {
  readonly #segments: SegmentTable;
  readonly #pieces: PieceTable;
  readonly #files: SegmentFiles;

  constructor(database: DatabaseSync, files: SegmentFiles) {
    this.#segments = new SegmentTable(database);
    this.#pieces = new PieceTable(database);
    this.#files = files;
  }

  list(
    stored: StoredStream,
    { from, limit }: Pick<SegmentQuery, 'from' | 'limit'>,
  ): readonly SegmentEntry[] {
    const { first, next } = stored.state;
    if (Math.max(from, first) >= next) return [];
    const rows = this.#segments.page(stored.no, Math.max(from, first), limit + 1);
    return rows.slice(0, limit).map((row, index) => this.#entry(stored, row, rows[index + 1]));
  }

  usage(stored: StoredStream): StreamUsage {
    const { bytes, first, segment } = stored.state;
    const [oldest] = this.list(stored, { from: first, limit: 1 });
    if (oldest === undefined || segment === undefined) return { segments: 0, bytes: 0 };
    const [from, to] = [oldest, segment].map((at) => this.#segments.holding(stored.no, at.first));
    return {
      segments: (to?.number ?? 0) - (from?.number ?? 0) + 1,
      bytes: bytes - (from?.bytesBefore ?? 0),
      oldest,
    };
  }

  #entry(stored: StoredStream, row: StoredSegment, later: StoredSegment | undefined): SegmentEntry {
    const { no, state } = stored;
    if (row.first === state.segment?.first) {
      return {
        ...entryOf({ ...row, bytesThrough: state.bytes, lastTimeMs: state.timeMs }, state.next),
        state: 'active',
        objects: [],
      };
    }
    const end = row.end ?? later?.first ?? state.next;
    const objects = this.#pieces.within(no, row.first, end).map((piece) => ({
      start: offset(piece.first),
      end: offset(piece.end),
      name: this.#files.nameOf(piece),
      bytes: piece.bytes,
    }));
    return { ...entryOf(row, end), state: objects.length > 0 ? 'packed' : 'sealed', objects };
  }
}

/** What is not known is left out. */
function entryOf({ first, bytesBefore, bytesThrough, ...row }: StoredSegment, end: number) {
  return {
    first: offset(first),
    end: offset(end),
    ...(bytesThrough !== undefined && { bytesThrough, bytes: bytesThrough - bytesBefore }),
    ...(row.lastTimeMs !== undefined && { lastTimeMs: row.lastTimeMs }),
  };
}
