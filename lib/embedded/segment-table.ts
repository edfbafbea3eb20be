/**
 * The table of segments: where each began (SPEC T6), and of a sealed one all that retention asks for. A row
 * becomes complete in the transaction that opens the next one. Numbers of a stream's segments have no holes.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RetainedSegment } from '../core/log/retention.ts';
import { integerOf, isNull, type Row } from './row-values.ts';

export interface StoredSegment {
  readonly first: number;
  readonly number: number;
  /** The stream's logical bytes when the segment opened. */
  readonly bytesBefore: number;
  readonly firstTimeMs: number;
  /** Of a sealed one; undefined when it is not known. */
  readonly end: number | undefined;
  readonly bytesThrough: number | undefined;
  readonly lastTimeMs: number | undefined;
}

export interface OpenedSegment {
  readonly first: number;
  /** The stream's logical bytes and its newest timestamp before the message that opens it. */
  readonly bytesBefore: number;
  readonly timeBeforeMs: number;
  readonly firstTimeMs: number;
}

/**
 * Logical bytes from which on a sealed segment is packed into files of its own. A file costs two syncs and
 * a block of the disk: what a quiet stream seals once a day stays in the database, where it takes 64 pages.
 */
export const PACK_BYTES_MIN = 256 * 1024;

/** Above every offset. */
const UNKNOWN_END = Number.MAX_SAFE_INTEGER;

/** The segment that holds `:from`, and all behind it. */
const FROM = `stream = :no AND
  first >= (SELECT max(first) FROM segment WHERE stream = :no AND first <= :from)`;

export class SegmentTable {
  readonly #insert: StatementSync;
  readonly #seal: StatementSync;
  readonly #holding: StatementSync;
  readonly #page: StatementSync;
  readonly #sealed: StatementSync;
  readonly #packable: StatementSync;
  readonly #packed: StatementSync;

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare(
      'INSERT INTO segment (stream, first, number, bytes_before, first_ms) VALUES (?, ?, ?, ?, ?)',
    );
    this.#seal = database.prepare(
      `UPDATE segment SET "end" = :end, bytes_through = :bytes, last_ms = :lastMs,
       pack_ms = CASE WHEN :bytes - bytes_before >= :packMin THEN :sealedMs END
       WHERE stream = :no AND first = :first RETURNING number`,
    );
    this.#holding = database.prepare(
      'SELECT * FROM segment WHERE stream = ? AND first <= ? ORDER BY first DESC LIMIT 1',
    );
    this.#page = database.prepare(
      `SELECT * FROM segment WHERE ${FROM} ORDER BY first LIMIT :limit`,
    );
    this.#sealed = database.prepare(
      `SELECT first, "end", bytes_through, last_ms FROM segment
       WHERE ${FROM} AND first < :active ORDER BY first`,
    );
    this.#packable = database.prepare(
      `SELECT 1 FROM segment JOIN stream ON no = segment.stream WHERE segment.stream = ?
       AND segment.first = ? AND "end" = ? AND pack_ms IS NOT NULL AND stream.first < "end"`,
    );
    this.#packed = database.prepare(
      'UPDATE segment SET pack_ms = NULL WHERE stream = ? AND first = ?',
    );
  }

  /** Seals the one that begins at `active`, if there is one; to be packed when it has `packBytesMin`. */
  open(
    no: number,
    { first, bytesBefore, timeBeforeMs, firstTimeMs }: OpenedSegment,
    {
      active,
      packBytesMin,
    }: { readonly active: number | undefined; readonly packBytesMin: number },
  ): void {
    const sealed =
      active === undefined
        ? undefined
        : this.#seal.get({
            no,
            first: active,
            end: first,
            bytes: bytesBefore,
            lastMs: timeBeforeMs,
            packMin: packBytesMin,
            sealedMs: firstTimeMs,
          });
    const number = sealed === undefined ? 0 : integerOf(sealed, 'number') + 1;
    this.#insert.run(no, first, number, bytesBefore, firstTimeMs);
  }

  /** The segment that holds this offset; the active one for all that is to come. */
  holding(no: number, offset: number): StoredSegment | undefined {
    const row = this.#holding.get(no, offset);
    return row && decodeSegment(row);
  }

  /** The segment that holds `from` and those behind it, one by one. */
  page(no: number, from: number, limit: number): readonly StoredSegment[] {
    return this.#page.all({ no, from, limit }).map(decodeSegment);
  }

  /** The same of those that begin below `active`, as retention looks at them. */
  *sealed(no: number, from: number, active: number): Generator<RetainedSegment> {
    for (const row of this.#sealed.iterate({ no, from, active })) {
      yield {
        first: integerOf(row, 'first'),
        end: knownOf(row, 'end') ?? UNKNOWN_END,
        bytesThrough: knownOf(row, 'bytes_through'),
        lastTimeMs: knownOf(row, 'last_ms'),
      };
    }
  }

  /** True when a sealed segment [first, end) is there, not dropped, and still to be packed. */
  isToPack(no: number, first: number, end: number): boolean {
    return this.#packable.get(no, first, end) !== undefined;
  }

  setPacked(no: number, first: number): void {
    this.#packed.run(no, first);
  }
}

function decodeSegment(row: Row): StoredSegment {
  return {
    first: integerOf(row, 'first'),
    number: integerOf(row, 'number'),
    bytesBefore: integerOf(row, 'bytes_before'),
    firstTimeMs: integerOf(row, 'first_ms'),
    end: knownOf(row, 'end'),
    bytesThrough: knownOf(row, 'bytes_through'),
    lastTimeMs: knownOf(row, 'last_ms'),
  };
}

function knownOf(row: Row, column: string): number | undefined {
  return isNull(row, column) ? undefined : integerOf(row, column);
}
