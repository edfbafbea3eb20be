/** The table of named publishers: what each stream remembers of each (SPEC D1), at most so many (SPEC D9). */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { offset, type PublisherName, parsePublisherName } from '../core/log/ids.ts';
import { PUBLISHERS_PER_STREAM_MAX } from '../core/log/limits.ts';
import type { PublisherRecord } from '../core/log/publisher.ts';
import type { ListQuery, PublisherEntry } from '../ports/log-store.ts';
import { keepPrefix, PAGE } from './name-page.ts';
import { CorruptRow, integerOf, isNull, type Row, textOf } from './row-values.ts';

export class PublisherTable {
  readonly #get: StatementSync;
  readonly #page: StatementSync;
  readonly #put: StatementSync;
  readonly #count: StatementSync;
  readonly #evict: StatementSync;

  constructor(database: DatabaseSync) {
    this.#get = database.prepare('SELECT * FROM publisher WHERE stream = ? AND name = ?');
    this.#page = database.prepare(`SELECT * FROM publisher WHERE stream = :no AND ${PAGE}`);
    this.#put = database.prepare(
      'INSERT OR REPLACE INTO publisher VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#count = database.prepare('SELECT count(*) AS count FROM publisher WHERE stream = ?');
    this.#evict = database.prepare(
      `DELETE FROM publisher WHERE stream = :no AND name IN
       (SELECT name FROM publisher WHERE stream = :no ORDER BY "end" LIMIT :excess) RETURNING name`,
    );
  }

  get(no: number, name: PublisherName): PublisherRecord | undefined {
    const row = this.#get.get(no, name);
    return row && decodeRecord(row);
  }

  list(no: number, query: ListQuery): readonly PublisherEntry[] {
    const { prefix, startAfter, limit } = query;
    const entries = this.#page.all({ no, prefix, startAfter, limit }).map((row) => ({
      name: decodeName(row),
      record: decodeRecord(row),
    }));
    return keepPrefix(entries, prefix);
  }

  put(no: number, name: PublisherName, { highestId, epoch, latest }: PublisherRecord): void {
    const { firstId, count, start, end } = latest;
    this.#put.run(no, name, highestId, epoch ?? null, firstId, count, start, end);
  }

  /** Forgets those whose last messages are the oldest, as core's `planEviction`, and names them. */
  evict(no: number): PublisherName[] {
    const count = this.#count.get(no);
    const excess = (count ? integerOf(count, 'count') : 0) - PUBLISHERS_PER_STREAM_MAX;
    return excess <= 0 ? [] : this.#evict.all({ no, excess }).map(decodeName);
  }
}

function decodeRecord(row: Row): PublisherRecord {
  return {
    highestId: integerOf(row, 'highest_id'),
    ...(!isNull(row, 'epoch') && { epoch: integerOf(row, 'epoch') }),
    latest: {
      firstId: integerOf(row, 'first_id'),
      count: integerOf(row, 'count'),
      start: offset(integerOf(row, 'start')),
      end: offset(integerOf(row, 'end')),
    },
  };
}

function decodeName(row: Row): PublisherName {
  const parsed = parsePublisherName(textOf(row, 'name'));
  if (parsed.kind === 'reject') throw new CorruptRow(`publisher name: ${parsed.reason}`);
  return parsed.name;
}
