/**
 * Reads exchanges, and makes ready what is routed by them: once for as long as the revision of an exchange stays,
 * which every publish looks at, so that a binding counts from its acknowledgement on (SPEC X7).
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Binding } from '../core/routing/binding.ts';
import { type CompiledExchange, compileExchange } from '../core/routing/compiled-exchange.ts';
import type { ExchangeId, ExchangeName } from '../core/routing/exchange.ts';
import type { RoutingGraph } from '../core/routing/route.ts';
import type { ExchangeEntry } from '../ports/exchanges.ts';
import type { ListQuery } from '../ports/log-store.ts';
import { BoundedCache } from './bounded-cache.ts';
import { ExchangeTable, type StoredExchange } from './exchange-table.ts';

/** Of all exchanges that are kept together: some 100 MiB, and 10 000 take some 20 ms to make ready. */
const BINDINGS_KEPT_MAX = 200_000;

interface KnownExchange {
  readonly revision: number;
  readonly compiled: CompiledExchange;
  readonly bindings: number;
}

export class ExchangeReader {
  readonly #database: DatabaseSync;
  readonly #table: ExchangeTable;
  readonly #known = new BoundedCache<ExchangeId, KnownExchange>(
    BINDINGS_KEPT_MAX,
    ({ bindings }) => bindings + 1,
  );

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#table = new ExchangeTable(database);
  }

  entry(name: ExchangeName): ExchangeEntry | undefined {
    return this.#table.byName(name)?.entry;
  }

  list(query: ListQuery): readonly ExchangeEntry[] {
    return this.#table.list(query);
  }

  /** None when the exchange is gone. */
  bindings(id: ExchangeId, query: ListQuery): readonly Binding[] {
    return this.#snapshot(() => {
      const stored = this.#table.byId(id);
      return stored === undefined ? [] : this.#table.bindingPage(stored.no, query);
    });
  }

  routes(name: ExchangeName): RoutingGraph | undefined {
    return this.#snapshot(() => {
      const start = this.#table.byName(name);
      return start && this.#graph(this.#compiled(start));
    });
  }

  #graph(start: CompiledExchange): RoutingGraph {
    const byId = new Map<ExchangeId, CompiledExchange>();
    const byName = new Map<ExchangeName, CompiledExchange>();
    const waiting = [start];
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      if (byId.has(one.id)) continue;
      byId.set(one.id, one);
      byName.set(one.name, one);
      waiting.push(...this.#behind(one, byId));
    }
    return { start, byId: (id) => byId.get(id), byName: (name) => byName.get(name) };
  }

  #behind(
    { next, settings: { alternateExchange } }: CompiledExchange,
    known: ReadonlyMap<ExchangeId, CompiledExchange>,
  ): readonly CompiledExchange[] {
    const bound = next.filter((id) => !known.has(id)).map((id) => this.#table.byId(id));
    const alternate = alternateExchange && this.#table.byName(alternateExchange);
    return [...bound, alternate].flatMap((stored) => (stored ? [this.#compiled(stored)] : []));
  }

  #compiled({ no, revision, entry }: StoredExchange): CompiledExchange {
    const { exchangeId: id, name, settings } = entry;
    const known = this.#known.get(id);
    if (known?.revision === revision) return known.compiled;
    const bindings = this.#table.bindings(no);
    const compiled = compileExchange({ id, name, settings }, bindings);
    this.#known.set(id, { revision, compiled, bindings: bindings.length });
    return compiled;
  }

  /** Several rows, so all of them as one commit left them. */
  #snapshot<Result>(read: () => Result): Result {
    this.#database.exec('BEGIN');
    try {
      return read();
    } finally {
      this.#database.exec('ROLLBACK');
    }
  }
}
