/**
 * The table of held messages: one row each, found by id, which sorts by when it is due, and by the stream that
 * accepted it. A row whose stream is gone has no target any more: it stays until it is due, and is dropped then.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type StreamId, streamId } from '../core/log/ids.ts';
import { exchangeId } from '../core/routing/exchange.ts';
import { type HeldId, storedHeldId } from '../core/timer/held-id.ts';
import type { HeldMessage, HeldTarget } from '../core/timer/held-message.ts';
import type { DueMessage, HeldQuery } from '../ports/timers.ts';
import { blobOf, integerOf, isNull, type Row, textOf } from './row-values.ts';
import { storedExchangeName, storedStreamName } from './stored-name.ts';

/** A row that is due; without a target when that is gone. */
export type DueRow = Omit<DueMessage, 'target'> & { readonly target: HeldTarget | undefined };

/** An exchange has the id of its holding place. */
const TARGETS = `LEFT JOIN stream ON stream.no = held.place
  LEFT JOIN exchange ON exchange.id = stream.id`;
const COLUMNS = `held.id, held_ms, held.bytes, stream.name AS stream_name, stream.id AS stream_id,
  exchange.name AS exchange_name`;

export class HeldTable {
  readonly #due: StatementSync;
  readonly #one: StatementSync;
  readonly #first: StatementSync;
  readonly #page: StatementSync;
  readonly #pageOf: StatementSync;
  readonly #count: StatementSync;
  readonly #countOf: StatementSync;

  constructor(database: DatabaseSync) {
    const whole = `SELECT ${COLUMNS}, json_checked, record FROM held ${TARGETS}`;
    const page = `SELECT ${COLUMNS} FROM held ${TARGETS} WHERE stream.no IS NOT NULL AND held.id > :after`;
    const order = 'ORDER BY held.id LIMIT :limit';
    this.#due = database.prepare(`${whole} WHERE held.id < :before ${order}`);
    this.#one = database.prepare(`${whole} WHERE stream.no IS NOT NULL AND held.id = ?`);
    this.#first = database.prepare('SELECT id FROM held ORDER BY id LIMIT 1');
    this.#page = database.prepare(`${page} ${order}`);
    this.#pageOf = database.prepare(`${page} AND held.place = (${PLACE}) ${order}`);
    this.#count = database.prepare(
      'SELECT count(*) AS count FROM held WHERE place IN (SELECT no FROM stream)',
    );
    this.#countOf = database.prepare(`SELECT count(*) AS count FROM held WHERE place = (${PLACE})`);
  }

  /** Those with ids below `before`, in their order; ends behind the first with which they have `bytesMax`. */
  due(before: string, { limit, bytesMax }: { readonly limit: number; readonly bytesMax: number }) {
    const rows: DueRow[] = [];
    let bytes = 0;
    for (const row of this.#due.iterate({ before: Buffer.from(before, 'hex'), limit })) {
      const due = decodeDue(row);
      rows.push(due);
      bytes += due.bytes;
      if (bytes >= bytesMax) break;
    }
    return rows;
  }

  /** Of the message that is due before all others. */
  firstId(): HeldId | undefined {
    const row = this.#first.get();
    return row && idOf(row);
  }

  get(id: HeldId): DueMessage | undefined {
    const row = this.#one.get(encodeHeldId(id));
    if (row === undefined) return undefined;
    const { target, ...due } = decodeDue(row);
    return target && { ...due, target };
  }

  list({ target, startAfter, limit }: HeldQuery): readonly HeldMessage[] {
    const range = { after: Buffer.from(startAfter, 'hex'), limit };
    const rows =
      target === undefined ? this.#page.all(range) : this.#pageOf.all({ ...range, id: target.id });
    return rows.flatMap((row) => {
      const { target: known, ...held } = decodeHeld(row);
      return known === undefined ? [] : [{ ...held, target: known }];
    });
  }

  count(target: HeldTarget | undefined): number {
    const row = target === undefined ? this.#count.get() : this.#countOf.get({ id: target.id });
    return row === undefined ? 0 : integerOf(row, 'count');
  }
}

const PLACE = 'SELECT no FROM stream WHERE id = :id';

/** What changes the table; each call within a transaction of its caller. */
export class HeldRows {
  readonly #insert: StatementSync;
  readonly #has: StatementSync;
  readonly #delete: StatementSync;
  readonly #deleteLiving: StatementSync;

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare('INSERT INTO held VALUES (?, ?, ?, ?, ?, ?)');
    this.#has = database.prepare('SELECT 1 FROM held WHERE id = ?');
    this.#delete = database.prepare('DELETE FROM held WHERE id = ?');
    this.#deleteLiving = database.prepare(
      'DELETE FROM held WHERE id = ? AND place IN (SELECT no FROM stream)',
    );
  }

  insert(place: number, held: Omit<DueMessage, 'target'>): void {
    const { id, heldMs, bytes, jsonChecked, record } = held;
    this.#insert.run(encodeHeldId(id), place, heldMs, bytes, jsonChecked ? 1 : 0, record);
  }

  /** True when all of them are there. */
  hasAll(ids: readonly HeldId[]): boolean {
    return ids.every((id) => this.#has.get(encodeHeldId(id)) !== undefined);
  }

  deleteAll(ids: readonly HeldId[]): void {
    for (const id of ids) this.#delete.run(encodeHeldId(id));
  }

  /** False when there is none, or its target is gone. */
  cancel(id: HeldId): boolean {
    return this.#deleteLiving.run(encodeHeldId(id)).changes > 0;
  }
}

function encodeHeldId(id: HeldId): Uint8Array {
  return Buffer.from(id, 'hex');
}

function idOf(row: Row): HeldId {
  return storedHeldId(Buffer.from(blobOf(row, 'id')).toString('hex'));
}

function decodeHeld(row: Row): Omit<DueRow, 'record' | 'jsonChecked'> {
  const [heldMs, bytes] = [integerOf(row, 'held_ms'), integerOf(row, 'bytes')];
  return { id: idOf(row), heldMs, bytes, target: targetOf(row) };
}

function decodeDue(row: Row): DueRow {
  const jsonChecked = integerOf(row, 'json_checked') === 1;
  return { ...decodeHeld(row), jsonChecked, record: blobOf(row, 'record') };
}

function targetOf(row: Row): HeldTarget | undefined {
  if (isNull(row, 'stream_id')) return undefined;
  const id: StreamId = streamId(textOf(row, 'stream_id'));
  if (isNull(row, 'exchange_name')) {
    return { kind: 'stream', name: storedStreamName(textOf(row, 'stream_name')), id };
  }
  const name = storedExchangeName(textOf(row, 'exchange_name'));
  return { kind: 'exchange', name, id: exchangeId(id) };
}
