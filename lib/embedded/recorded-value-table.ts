/**
 * The table of values by which messages are deduplicated (SPEC M1-M6), each with its number and when it expires.
 * As new ones come, those that they push out go: a stream has as many rows as its cache holds.
 */
import { createHash } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import {
  forgottenThrough,
  type RecordedValue,
  type ValueMemory,
} from '../core/log/deduplication.ts';
import { effectiveSettings, type StreamSettings } from '../core/log/settings.ts';
import { integerOf } from './row-values.ts';

/** 128 bits, which no two values of a stream share by chance; the values themselves are of any length. */
const HASH_BYTES = 16;
/** A cache that was made smaller loses the rest over several commits, some 5 ms each. */
const FORGOTTEN_AT_ONCE_MAX = 2_048;

export class RecordedValueTable {
  readonly #count: StatementSync;
  readonly #find: StatementSync;
  readonly #put: StatementSync;
  readonly #forget: StatementSync;

  constructor(database: DatabaseSync) {
    // The latest is never pushed out, so its number says how many there were.
    this.#count = database.prepare(
      'SELECT coalesce(max(number), 0) AS count FROM recorded_value WHERE stream = ?',
    );
    this.#find = database.prepare(
      'SELECT number, expires_ms FROM recorded_value WHERE stream = ? AND value = ?',
    );
    this.#put = database.prepare('INSERT OR REPLACE INTO recorded_value VALUES (?, ?, ?, ?)');
    this.#forget = database.prepare(
      `DELETE FROM recorded_value WHERE stream = :no AND number IN (SELECT number FROM recorded_value
       WHERE stream = :no AND number <= :through ORDER BY number LIMIT :max)`,
    );
  }

  /** Reads only what is asked of it. */
  memory(no: number): ValueMemory {
    const countOf = () => this.#countOf(no);
    let count: number | undefined;
    return {
      get count() {
        count ??= countOf();
        return count;
      },
      find: (value) => {
        const row = this.#find.get(no, hash(value));
        return row && { number: integerOf(row, 'number'), expiresMs: integerOf(row, 'expires_ms') };
      },
    };
  }

  #countOf(no: number): number {
    const row = this.#count.get(no);
    return row ? integerOf(row, 'count') : 0;
  }

  record(no: number, recorded: readonly RecordedValue[], settings: StreamSettings): void {
    const last = recorded.at(-1);
    const { deduplication } = effectiveSettings(settings);
    if (last === undefined || deduplication === null) return;
    const through = forgottenThrough(last.number, deduplication.cache_size);
    for (const { value, number, expiresMs } of recorded) {
      if (number > through) this.#put.run(no, hash(value), number, expiresMs);
    }
    // More than came, or they would never be fewer.
    const max = Math.max(FORGOTTEN_AT_ONCE_MAX, 2 * recorded.length);
    if (through > 0) this.#forget.run({ no, through, max });
  }

  /** Of a deleted stream. True when there may be more. */
  forgetSome(no: number): boolean {
    const max = FORGOTTEN_AT_ONCE_MAX;
    const { changes } = this.#forget.run({ no, through: Number.MAX_SAFE_INTEGER, max });
    return changes === FORGOTTEN_AT_ONCE_MAX;
  }
}

function hash(value: string): Buffer {
  return createHash('sha256').update(value).digest().subarray(0, HASH_BYTES);
}
