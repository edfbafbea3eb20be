/**
 * The tables of exchanges and of their bindings, for readers. The revision of an exchange rises with every change
 * of its bindings, so that whoever has made something of them sees that it is no longer true.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { streamId } from '../core/log/ids.ts';
import {
  type Binding,
  type Destination,
  storedArguments,
  storedBindingName,
  storedPropertiesKey,
} from '../core/routing/binding.ts';
import { type ExchangeId, type ExchangeName, exchangeId } from '../core/routing/exchange.ts';
import { exchangeMembers, parseExchange } from '../core/routing/parse-exchange.ts';
import type { ExchangeEntry } from '../ports/exchanges.ts';
import type { ListQuery } from '../ports/log-store.ts';
import { keepPrefix, PAGE } from './name-page.ts';
import { CorruptRow, integerOf, isNull, type Row, textOf } from './row-values.ts';
import { storedExchangeName, storedStreamName } from './stored-name.ts';

/** `no` is what all other tables call the exchange. */
export interface StoredExchange {
  readonly no: number;
  readonly revision: number;
  readonly entry: ExchangeEntry;
}

/** With what its destination is called now. */
const BINDINGS = `SELECT binding.*, stream.name AS stream_name, stream.id AS stream_id,
    target.name AS exchange_name, target.id AS exchange_id
  FROM (SELECT * FROM binding WHERE exchange = :no`;
const DESTINATIONS = `) AS binding LEFT JOIN stream ON stream.no = binding.stream
  LEFT JOIN exchange AS target ON target.no = binding.target ORDER BY binding.name`;

export class ExchangeTable {
  readonly #byName: StatementSync;
  readonly #byId: StatementSync;
  readonly #byNo: StatementSync;
  readonly #page: StatementSync;
  readonly #bindings: StatementSync;
  readonly #bindingPage: StatementSync;

  constructor(database: DatabaseSync) {
    this.#byName = database.prepare('SELECT * FROM exchange WHERE name = ?');
    this.#byId = database.prepare('SELECT * FROM exchange WHERE id = ?');
    this.#byNo = database.prepare('SELECT * FROM exchange WHERE no = ?');
    this.#page = database.prepare(`SELECT * FROM exchange WHERE ${PAGE}`);
    this.#bindings = database.prepare(`${BINDINGS} ${DESTINATIONS}`);
    this.#bindingPage = database.prepare(`${BINDINGS} AND ${PAGE} ${DESTINATIONS}`);
  }

  byName(name: ExchangeName): StoredExchange | undefined {
    const row = this.#byName.get(name);
    return row && decodeExchange(row);
  }

  byId(id: ExchangeId): StoredExchange | undefined {
    const row = this.#byId.get(id);
    return row && decodeExchange(row);
  }

  byNo(no: number): StoredExchange | undefined {
    const row = this.#byNo.get(no);
    return row && decodeExchange(row);
  }

  list({ prefix, startAfter, limit }: ListQuery): readonly ExchangeEntry[] {
    const entries = this.#page
      .all({ prefix, startAfter, limit })
      .map((row) => decodeExchange(row).entry);
    return keepPrefix(entries, prefix);
  }

  bindings(no: number): readonly Binding[] {
    return this.#bindings.all({ no }).map(decodeBinding);
  }

  bindingPage(no: number, { prefix, startAfter, limit }: ListQuery): readonly Binding[] {
    const page = this.#bindingPage.all({ no, prefix, startAfter, limit }).map(decodeBinding);
    return keepPrefix(page, prefix);
  }
}

export function encodeSettings({ settings }: ExchangeEntry): string {
  return JSON.stringify(exchangeMembers(settings));
}

function decodeExchange(row: Row): StoredExchange {
  const parsed = parseExchange(JSON.parse(textOf(row, 'settings')));
  if (parsed.kind === 'reject') throw new CorruptRow(`exchange: ${parsed.reason}`);
  return {
    no: integerOf(row, 'no'),
    revision: integerOf(row, 'revision'),
    entry: {
      name: storedExchangeName(textOf(row, 'name')),
      exchangeId: exchangeId(textOf(row, 'id')),
      settings: parsed.settings,
      createdMs: integerOf(row, 'created_ms'),
    },
  };
}

function decodeBinding(row: Row): Binding {
  return {
    name: storedBindingName(textOf(row, 'name')),
    propertiesKey: storedPropertiesKey(textOf(row, 'properties_key')),
    destination: decodeDestination(row),
    routingKey: textOf(row, 'routing_key'),
    arguments: storedArguments(textOf(row, 'arguments')),
  };
}

function decodeDestination(row: Row): Destination {
  if (isNull(row, 'stream')) {
    const name = storedExchangeName(textOf(row, 'exchange_name'));
    return { kind: 'exchange', name, id: exchangeId(textOf(row, 'exchange_id')) };
  }
  const name = storedStreamName(textOf(row, 'stream_name'));
  return { kind: 'stream', name, id: streamId(textOf(row, 'stream_id')) };
}
