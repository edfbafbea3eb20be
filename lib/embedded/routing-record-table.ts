/**
 * The table of what exchanges remember of values (SPEC M5): a record for each, with its destinations as JSON, each of
 * them `[name, id, 1 if it has the message]`. As new ones come, those that they push out go.
 */
import { createHash } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { forgottenThrough } from '../core/log/deduplication.ts';
import { type StreamId, streamId } from '../core/log/ids.ts';
import type { RecordClaim, RoutingRecord } from '../core/routing/routing-record.ts';
import { integerOf, type Row, textOf } from './row-values.ts';
import { storedStreamName } from './stored-name.ts';

/** 128 bits, which no two values of an exchange share by chance; the values themselves are of any length. */
const HASH_BYTES = 16;
/** A row of many destinations has some KiB: at most some 10 ms. */
const FORGOTTEN_AT_ONCE_MAX = 512;

export class RoutingRecordTable {
  readonly #count: StatementSync;
  readonly #find: StatementSync;
  readonly #claimed: StatementSync;
  readonly #put: StatementSync;
  readonly #take: StatementSync;
  readonly #forget: StatementSync;

  constructor(database: DatabaseSync) {
    // The latest is never pushed out, so its number says how many there were.
    this.#count = database.prepare(
      'SELECT coalesce(max(number), 0) AS count FROM routing_record WHERE exchange = ?',
    );
    this.#find = database.prepare('SELECT * FROM routing_record WHERE exchange = ? AND value = ?');
    this.#claimed = database.prepare(
      `SELECT routing_record.* FROM routing_record JOIN exchange ON exchange.no = routing_record.exchange
       WHERE exchange.id = ? AND value = ? AND rid = ?`,
    );
    this.#put = database.prepare(
      'INSERT OR REPLACE INTO routing_record VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    this.#take = database.prepare(
      'UPDATE routing_record SET destinations = ? WHERE exchange = ? AND value = ?',
    );
    this.#forget = database.prepare(
      `DELETE FROM routing_record WHERE exchange = :no AND number IN (SELECT number FROM routing_record
       WHERE exchange = :no AND number <= :through ORDER BY number LIMIT :max)`,
    );
  }

  count(no: number): number {
    const row = this.#count.get(no);
    return row ? integerOf(row, 'count') : 0;
  }

  find(no: number, value: string): RoutingRecord | undefined {
    const row = this.#find.get(no, hash(value));
    return row && decodeRecord(row);
  }

  put(no: number, value: string, record: RoutingRecord): void {
    const { number, rid, startedMs, expiresMs } = record;
    const row = [no, hash(value), number, rid, startedMs, expiresMs, encodeDestinations(record)];
    this.#put.run(...row);
  }

  /** False when the record is another one, or the stream has taken it. */
  isOpen({ exchangeId, value, rid }: RecordClaim, stream: StreamId): boolean {
    const row = this.#claimed.get(exchangeId, hash(value), rid);
    return row !== undefined && !decodeRecord(row).taken.has(stream);
  }

  take({ exchangeId, value, rid }: RecordClaim, stream: StreamId): void {
    const row = this.#claimed.get(exchangeId, hash(value), rid);
    if (row === undefined) return;
    const record = decodeRecord(row);
    const taken = new Set([...record.taken, stream]);
    const destinations = encodeDestinations({ ...record, taken });
    this.#take.run(destinations, integerOf(row, 'exchange'), hash(value));
  }

  /** All but the latest `size` go, when `made` have come. */
  keepWithin(no: number, { size, made }: { readonly size: number; readonly made: number }): void {
    const through = forgottenThrough(this.count(no), size);
    const max = Math.max(FORGOTTEN_AT_ONCE_MAX, 2 * made);
    if (through > 0) this.#forget.run({ no, through, max });
  }

  /** Of a deleted exchange. True when there may be more. */
  forgetSome(no: number): boolean {
    const max = FORGOTTEN_AT_ONCE_MAX;
    const { changes } = this.#forget.run({ no, through: Number.MAX_SAFE_INTEGER, max });
    return changes === max;
  }
}

function encodeDestinations({
  destinations,
  taken,
}: Pick<RoutingRecord, 'destinations' | 'taken'>): string {
  return JSON.stringify(destinations.map(({ name, id }) => [name, id, taken.has(id) ? 1 : 0]));
}

function decodeRecord(row: Row): RoutingRecord {
  const parsed: unknown = JSON.parse(textOf(row, 'destinations'));
  const all = (Array.isArray(parsed) ? parsed : []).map(decodeDestination);
  return {
    rid: textOf(row, 'rid'),
    number: integerOf(row, 'number'),
    startedMs: integerOf(row, 'started_ms'),
    expiresMs: integerOf(row, 'expires_ms'),
    destinations: all.map(({ name, id }) => ({ name, id })),
    taken: new Set(all.filter(({ hasIt }) => hasIt).map(({ id }) => id)),
  };
}

function decodeDestination(entry: unknown) {
  const [text, id, taken]: unknown[] = Array.isArray(entry) ? entry : [];
  return { name: storedStreamName(String(text)), id: streamId(String(id)), hasIt: taken === 1 };
}

function hash(value: string): Buffer {
  return createHash('sha256').update(value).digest().subarray(0, HASH_BYTES);
}
