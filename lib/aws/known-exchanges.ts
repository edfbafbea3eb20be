/**
 * What messages are routed by (PROTOCOL R13): exchanges as they were seen last, each under the revision that was read
 * before its bindings. A publish may use one only when it has read that revision itself: then every binding that was
 * acknowledged before is honoured, whoever made it (SPEC X7). One read unit for each exchange that can be reached.
 */
import { LRUCache } from 'lru-cache';
import { type CompiledExchange, compileExchange } from '../core/routing/compiled-exchange.ts';
import type { ExchangeId, ExchangeName } from '../core/routing/exchange.ts';
import type { RoutingGraph } from '../core/routing/route.ts';
import { decodeBinding, decodeExchange, type StoredExchange } from './exchange-item.ts';
import type { Item, Table } from './table.ts';
import { bindingPartition, exchangeKey } from './table-key.ts';

const ITEMS_PER_READ_MAX = 100;
/** Of all exchanges that are kept together: some 100 MiB. */
const BINDINGS_KEPT_MAX = 200_000;

interface KnownExchange {
  readonly revision: number;
  readonly compiled: CompiledExchange;
  /** Where it leads, its alternate too. */
  readonly next: readonly ExchangeName[];
  readonly bindings: number;
}

/** As one publish has read them; undefined for those that are gone. */
type Seen = Map<ExchangeName, KnownExchange | undefined>;

export class KnownExchanges {
  readonly #table: Table;
  readonly #known = new LRUCache<ExchangeName, KnownExchange>({
    maxSize: BINDINGS_KEPT_MAX,
    sizeCalculation: ({ bindings }) => bindings + 1,
  });

  constructor(table: Table) {
    this.#table = table;
  }

  async routes(name: ExchangeName): Promise<RoutingGraph | undefined> {
    const seen: Seen = new Map();
    // What is known tells what can be read at once; what that shows to be otherwise is read after it.
    let unread = reachable(name, (one) => this.#known.get(one));
    while (unread.length > 0) {
      await this.#read(unread, seen);
      unread = reachable(name, (one) => seen.get(one)).filter((one) => !seen.has(one));
    }
    return graphOf(name, seen);
  }

  async #read(names: readonly ExchangeName[], seen: Seen): Promise<void> {
    for (let at = 0; at < names.length; at += ITEMS_PER_READ_MAX) {
      const some = names.slice(at, at + ITEMS_PER_READ_MAX);
      const items = await this.#table.getMany(some.map(exchangeKey));
      const stored = new Map(items.map(decodeExchange).map((one) => [one.entry.name, one]));
      const current = await Promise.all(some.map((one) => this.#current(one, stored.get(one))));
      some.forEach((one, index) => {
        seen.set(one, current[index]);
      });
    }
  }

  async #current(
    name: ExchangeName,
    stored: StoredExchange | undefined,
  ): Promise<KnownExchange | undefined> {
    if (stored === undefined) {
      this.#known.delete(name);
      return undefined;
    }
    const known = this.#known.get(name);
    const isSame =
      known?.compiled.id === stored.entry.exchangeId && known.revision === stored.revision;
    if (isSame) return known;
    const loaded = await this.#load(stored);
    this.#known.set(name, loaded);
    return loaded;
  }

  /** The bindings after the revision: they may be newer than it, and are then read again, never older. */
  async #load({ entry, revision }: StoredExchange): Promise<KnownExchange> {
    const { exchangeId: id, name, settings } = entry;
    const items: Item[] = [];
    let page: string | undefined;
    do {
      const found = await this.#table.query({
        k: bindingPartition(id),
        ...(page !== undefined && { page }),
      });
      items.push(...found.items);
      page = found.next;
    } while (page !== undefined);
    const bindings = items.map(decodeBinding);
    const next = bindings.flatMap(({ destination }) =>
      destination.kind === 'exchange' ? [destination.name] : [],
    );
    if (settings.alternateExchange !== undefined) next.push(settings.alternateExchange);
    const compiled = compileExchange({ id, name, settings }, bindings);
    return { revision, compiled, next: [...new Set(next)], bindings: bindings.length };
  }
}

/** From `name` on, over those that `find` tells of; those that it does not are the ends. */
function reachable(
  name: ExchangeName,
  find: (name: ExchangeName) => KnownExchange | undefined,
): readonly ExchangeName[] {
  const reached = new Set([name]);
  // A set is walked over with what is added to it on the way.
  for (const one of reached) for (const next of find(one)?.next ?? []) reached.add(next);
  return [...reached];
}

function graphOf(name: ExchangeName, seen: Seen): RoutingGraph | undefined {
  const start = seen.get(name)?.compiled;
  if (start === undefined) return undefined;
  const byId = new Map<ExchangeId, CompiledExchange>();
  for (const known of seen.values()) {
    if (known !== undefined) byId.set(known.compiled.id, known.compiled);
  }
  return {
    start,
    byId: (id) => byId.get(id),
    byName: (one) => seen.get(one)?.compiled,
  };
}
