/**
 * Reads chunks from wherever they lie: runs in the database, or the files of packed segments. Readers never
 * notice which. A file that is gone leads to a fresh look, as its segment was dropped; only then is it lost.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { MessageFilter } from '../core/filter/filter.ts';
import { type Offset, offset, type StreamId } from '../core/log/ids.ts';
import { createBlockFilter } from '../format/block-filter.ts';
import { CorruptChunk } from '../format/corrupt-chunk.ts';
import type { ChunkRange, ScannedChunks, StoredChunk } from '../ports/log-store.ts';
import { LostMessages } from '../ports/store-error.ts';
import { BoundedCache } from './bounded-cache.ts';
import { ChunkPage } from './chunk-page.ts';
import { MissingPiece, PieceReader } from './piece-reader.ts';
import { PieceTable, type StoredPiece } from './piece-table.ts';
import { RunReader } from './run-reader.ts';
import type { SegmentFiles } from './segment-files.ts';

export interface TimeQuery {
  readonly streamId: StreamId;
  readonly first: Offset;
  readonly next: Offset;
  readonly timeMs: number;
}

export interface ChunkReaderParts {
  readonly files: SegmentFiles;
  /** Hears of messages that are lost. */
  lost(error: LostMessages): void;
}

/** What holds a message, or the last thing before it. */
interface Place {
  readonly base: number;
  readonly end: number;
  readonly lastMs: number;
  /** In their order, those of its chunks. */
  times(): readonly { readonly base: number; readonly end: number; readonly timeMs: number }[];
}

/** Together at most 8 MiB. Larger ones are for the caches of chunks and blocks. */
const RANGES_CACHED_MAX = 128;
const RANGE_BYTES_MAX = 64 * 1024;
const LOOKS_MAX = 3;

export class ChunkReader {
  readonly #runs: RunReader;
  readonly #pieces: PieceTable;
  readonly #files: PieceReader;
  readonly #parts: ChunkReaderParts;
  readonly #ranges = new BoundedCache<string, readonly StoredChunk[]>(RANGES_CACHED_MAX);

  constructor(database: DatabaseSync, parts: ChunkReaderParts) {
    this.#runs = new RunReader(database);
    this.#pieces = new PieceTable(database);
    this.#files = new PieceReader(parts.files);
    this.#parts = parts;
  }

  /** The very same chunks for the same range: a hundred followers of a stream ask for the same one. */
  read(range: ChunkRange): readonly StoredChunk[] {
    const { streamId, from, end, bytesMax } = range;
    const key = `${streamId} ${from} ${end} ${bytesMax}`;
    const known = this.#ranges.get(key);
    if (known !== undefined) return known;

    const { chunks } = this.lookAgain(from, () => this.#load(new ChunkPage(range)));
    const size = chunks.reduce((sum, { records }) => sum + records.buffer.byteLength, 0);
    if (chunks.length > 0 && size <= RANGE_BYTES_MAX) this.#ranges.set(key, chunks);
    return chunks;
  }

  /** Blocks that hold nothing wanted are passed over; `end` is `from` when nothing is there. */
  scan(range: ChunkRange, filter: MessageFilter): ScannedChunks {
    const wanted = createBlockFilter(filter);
    const page = this.lookAgain(range.from, () => this.#load(new ChunkPage(range, wanted)));
    return { chunks: page.chunks, end: offset(Math.min(page.next, range.end)) };
  }

  /** To be called when something was dropped. */
  forget(): void {
    this.#ranges.clear();
  }

  /** Timestamps never decrease along a stream (SPEC O18), so halving the range finds the place. */
  findTime({ streamId, first, next, timeMs }: TimeQuery): Offset {
    const base = this.lookAgain(first, () => {
      let found: Place | undefined;
      let [low, high]: [number, number] = [first, next];
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        const place = this.#placeOf(streamId, middle);
        if (place !== undefined && place.lastMs >= timeMs) {
          found = place;
          high = Math.min(middle, place.base);
        } else {
          low = Math.max(middle + 1, place?.end ?? 0);
        }
      }
      return found?.times().find((chunk) => chunk.timeMs >= timeMs)?.base ?? next;
    });
    return offset(Math.min(Math.max(base, first), next));
  }

  /** Timestamp of the message at this offset: one look, for {@link lookAgain}. */
  timeAt(streamId: StreamId, at: Offset): number | undefined {
    const chunks = this.#placeOf(streamId, at)?.times();
    return chunks?.find(({ end }) => end > at)?.timeMs;
  }

  /** Each look sees what is committed by then, and a file goes only after its messages were dropped. */
  lookAgain<Result>(from: number, look: () => Result): Result {
    for (let looks = 1; ; looks++) {
      try {
        return look();
      } catch (error) {
        if (!(error instanceof MissingPiece)) throw error;
        if (looks === LOOKS_MAX) throw this.#lost(error.piece, from);
      }
    }
  }

  #lost(piece: StoredPiece, from: number): LostMessages {
    const error = new LostMessages(`file ${this.#parts.files.nameOf(piece)} is not there`, {
      start: offset(Math.max(from, piece.first)),
      end: offset(piece.end),
    });
    this.#parts.lost(error);
    return error;
  }

  #load(page: ChunkPage): ChunkPage {
    try {
      this.#fill(page);
    } catch (error) {
      // What comes before messages that are gone can be read; the next page begins with them.
      if (!(error instanceof MissingPiece) || page.next === page.range.from) throw error;
    }
    return page;
  }

  /** Runs and pieces in turn. What was dropped since it began ends the page. */
  #fill(page: ChunkPage): void {
    const { streamId } = page.range;
    while (!page.isFull()) {
      const laterRun = this.#runs.addTo(page);
      if (page.isFull()) return;
      const piece = this.#pieces.holding(streamId, page.next);
      if (piece !== undefined) {
        this.#addPiece(page, piece);
      } else if (laterRun !== undefined && this.#runs.isReadable(streamId, page.next)) {
        throw new CorruptChunk(`${laterRun}: messages from ${page.next} are missing`);
      } else {
        return;
      }
    }
  }

  #addPiece(page: ChunkPage, piece: StoredPiece): void {
    while (!page.isFull() && page.next < piece.end) {
      const block = this.#files.blockAt(piece, page.next);
      if (page.passesOver(block)) continue;
      for (const chunk of this.#files.chunks(piece, block)) {
        if (chunk.base + chunk.count > page.next && !page.isFull()) page.add(chunk);
      }
    }
  }

  #placeOf(streamId: StreamId, at: number): Place | undefined {
    const run = this.#runs.before(streamId, at);
    if (run !== undefined && run.end > at) return { ...run, times: run.refs };
    const piece = this.#pieces.holding(streamId, at);
    if (piece === undefined) return run && { ...run, times: run.refs };

    const block = this.#files.blockAt(piece, at);
    const times = () =>
      this.#files.chunks(piece, block).map(({ base, count, timeMs }) => {
        return { base, end: base + count, timeMs };
      });
    return { base: block.base, end: block.end, lastMs: block.lastTimeMs, times };
  }
}
