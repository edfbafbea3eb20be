/**
 * Changes of exchanges and bindings, each one transaction: a binding goes in the same one as either of its ends
 * (SPEC T13), and an exchange that is to go with its last binding in the same one as that (SPEC X9).
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { assert } from '../core/assert.ts';
import { newStreamState } from '../core/log/stream-state.ts';
import type { Binding, BindingName, Destination } from '../core/routing/binding.ts';
import type { ExchangeId } from '../core/routing/exchange.ts';
import { type HoldingPlace, holdingPlace } from '../core/timer/held-message.ts';
import type { BindOutcome, ExchangeEntry, UnbindOutcome } from '../ports/exchanges.ts';
import { ExchangeTable, encodeSettings, type StoredExchange } from './exchange-table.ts';
import type { RemovalQueue } from './removal-queue.ts';
import { integerOf } from './row-values.ts';
import { StreamTable } from './stream-table.ts';
import { transact } from './transaction.ts';

export type ExchangeChange =
  | { readonly kind: 'create'; readonly entry: ExchangeEntry }
  | { readonly kind: 'remove'; readonly exchangeId: ExchangeId }
  | { readonly kind: 'bind'; readonly source: ExchangeId; readonly binding: Binding }
  | { readonly kind: 'unbind'; readonly source: ExchangeId; readonly name: BindingName };

export type ExchangeOutcome =
  | BindOutcome
  | UnbindOutcome
  | 'created'
  | 'taken'
  | 'removed'
  | 'unknown';

export interface ExchangeWriterParts {
  readonly removals: RemovalQueue;
  /** Removes the holding place of an exchange, within the transaction that removes that. */
  removeStream(place: HoldingPlace): void;
}

export class ExchangeWriter {
  readonly #database: DatabaseSync;
  readonly #removals: RemovalQueue;
  readonly #exchanges: ExchangeTable;
  readonly #streams: StreamTable;
  readonly #bindings: BindingRows;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  readonly #raise: StatementSync;
  readonly #removeStream: (place: HoldingPlace) => void;

  constructor(database: DatabaseSync, { removals, removeStream }: ExchangeWriterParts) {
    this.#database = database;
    this.#removals = removals;
    this.#removeStream = removeStream;
    this.#exchanges = new ExchangeTable(database);
    this.#streams = new StreamTable(database);
    this.#bindings = new BindingRows(database);
    this.#insert = database.prepare(
      'INSERT INTO exchange (name, id, created_ms, settings, revision) VALUES (?, ?, ?, ?, 0)',
    );
    this.#delete = database.prepare('DELETE FROM exchange WHERE no = ?');
    this.#raise = database.prepare('UPDATE exchange SET revision = revision + 1 WHERE no = ?');
  }

  apply(change: ExchangeChange): ExchangeOutcome {
    return transact(this.#database, () => {
      switch (change.kind) {
        case 'create':
          return this.#create(change.entry);
        case 'remove':
          return this.#remove(change.exchangeId);
        case 'bind':
          return this.#bind(change.source, change.binding);
        case 'unbind':
          return this.#unbind(change.source, change.name);
      }
    });
  }

  /** Within the transaction that deletes the stream. */
  streamRemoved(no: number): void {
    const sources = this.#bindings.sourcesTo('stream', no);
    this.#bindings.deleteTo('stream', no);
    this.#changed(sources);
  }

  #create(entry: ExchangeEntry): ExchangeOutcome {
    if (this.#exchanges.byName(entry.name) !== undefined) return 'taken';
    const { name, exchangeId, createdMs } = entry;
    this.#insert.run(name, exchangeId, createdMs, encodeSettings(entry));
    if (entry.settings.delayed !== undefined) this.#createPlace(entry);
    return 'created';
  }

  /** Where what it holds is accepted (SPEC L9). */
  #createPlace({ exchangeId, createdMs }: ExchangeEntry): void {
    const { name, id } = holdingPlace(exchangeId);
    this.#streams.insert({ name, createdMs, state: newStreamState(id, {}) });
  }

  #remove(id: ExchangeId): ExchangeOutcome {
    const stored = this.#exchanges.byId(id);
    if (stored === undefined) return 'unknown';
    this.#changed(this.#removeOne(stored));
    return 'removed';
  }

  #bind(source: ExchangeId, binding: Binding): ExchangeOutcome {
    const from = this.#exchanges.byId(source);
    if (from === undefined) return 'source_gone';
    const to = this.#destinationNo(binding.destination);
    if (to === undefined) return 'destination_gone';
    if (!this.#bindings.insert(from.no, to, binding)) return 'known';
    this.#raise.run(from.no);
    return 'bound';
  }

  #unbind(source: ExchangeId, name: BindingName): ExchangeOutcome {
    const from = this.#exchanges.byId(source);
    if (from === undefined) return 'source_gone';
    if (this.#bindings.delete(from.no, name)) this.#changed([from.no]);
    return 'unbound';
  }

  #destinationNo({ kind, id }: Destination): number | undefined {
    return kind === 'stream' ? this.#streams.byId(id)?.no : this.#exchanges.byId(id)?.no;
  }

  /** These have lost a binding; some go with it, and so with what leads to them, which loses one too. */
  #changed(sources: readonly number[]): void {
    const waiting = [...sources];
    for (let no = waiting.pop(); no !== undefined; no = waiting.pop()) {
      const stored = this.#exchanges.byNo(no);
      if (stored === undefined) continue;
      this.#raise.run(no);
      const isLast = stored.entry.settings.autoDelete && !this.#bindings.hasFrom(no);
      if (isLast) waiting.push(...this.#removeOne(stored));
    }
  }

  /** Gives those that led to it. */
  #removeOne({ no, entry }: StoredExchange): readonly number[] {
    this.#removeStream(holdingPlace(entry.exchangeId));
    const sources = this.#bindings.sourcesTo('target', no).filter((source) => source !== no);
    this.#bindings.deleteTo('target', no);
    this.#bindings.deleteFrom(no);
    this.#delete.run(no);
    this.#removals.addRecords(no);
    return sources;
  }
}

type Column = 'stream' | 'target';

class BindingRows {
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  readonly #first: StatementSync;
  readonly #deleteFrom: StatementSync;
  readonly #to: { readonly [Name in Column]: StatementSync };
  readonly #deleteTo: { readonly [Name in Column]: StatementSync };

  constructor(database: DatabaseSync) {
    const sourcesTo = (column: Column) =>
      database.prepare(`SELECT DISTINCT exchange FROM binding WHERE ${column} = ?`);
    const deleteTo = (column: Column) =>
      database.prepare(`DELETE FROM binding WHERE ${column} = ?`);
    this.#insert = database.prepare(
      'INSERT INTO binding VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#delete = database.prepare('DELETE FROM binding WHERE exchange = ? AND name = ?');
    this.#first = database.prepare('SELECT 1 FROM binding WHERE exchange = ? LIMIT 1');
    this.#deleteFrom = database.prepare('DELETE FROM binding WHERE exchange = ?');
    this.#to = { stream: sourcesTo('stream'), target: sourcesTo('target') };
    this.#deleteTo = { stream: deleteTo('stream'), target: deleteTo('target') };
  }

  /** False when it is there. */
  insert(from: number, to: number, binding: Binding): boolean {
    const { name, propertiesKey, routingKey, arguments: args, destination } = binding;
    const [stream, target] = destination.kind === 'stream' ? [to, null] : [null, to];
    const row = [from, name, propertiesKey, routingKey, args, stream, target];
    return this.#insert.run(...row).changes > 0;
  }

  delete(from: number, name: BindingName): boolean {
    return this.#delete.run(from, name).changes > 0;
  }

  hasFrom(no: number): boolean {
    return this.#first.get(no) !== undefined;
  }

  deleteFrom(no: number): void {
    this.#deleteFrom.run(no);
  }

  sourcesTo(column: Column, no: number): readonly number[] {
    return this.#to[column].all(no).map((row) => integerOf(row, 'exchange'));
  }

  deleteTo(column: Column, no: number): void {
    this.#deleteTo[column].run(no);
  }
}

/** Of a change that has these outcomes alone. */
export function outcomeOf<Outcome extends ExchangeOutcome>(
  outcome: ExchangeOutcome,
  ...possible: readonly Outcome[]
): Outcome {
  const found = possible.find((one) => one === outcome);
  assert(found !== undefined, () => `a change of an exchange came to ${outcome}`);
  return found;
}
