/** Exchanges as core means them: plain maps, routed by what is in them at that moment. */
import type { StreamId } from '../../lib/core/log/ids.ts';
import type { Binding } from '../../lib/core/routing/binding.ts';
import { compileExchange } from '../../lib/core/routing/compiled-exchange.ts';
import type { ExchangeId } from '../../lib/core/routing/exchange.ts';
import {
  planRecord,
  type RecordClaim,
  type RecordMoment,
  type RoutingRecord,
  type ValueTry,
} from '../../lib/core/routing/routing-record.ts';
import type { ExchangeEntry, Exchanges } from '../../lib/ports/exchanges.ts';
import type { ListQuery } from '../../lib/ports/log-store.ts';

interface Exchange {
  readonly entry: ExchangeEntry;
  bindings: readonly Binding[];
  readonly records: Map<string, RoutingRecord>;
  made: number;
}

/** What commits ask of what exchanges remember. */
export interface ReferenceRecords {
  isOpen(claim: RecordClaim, stream: StreamId | undefined): boolean;
  take(claim: RecordClaim, stream: StreamId): void;
}

export interface ReferenceExchanges extends Exchanges {
  isThere(id: ExchangeId): boolean;
}

/** `page` sorts and cuts as every list is. */
export function createReferenceExchanges(
  isThere: (id: StreamId) => boolean,
  page: <Item extends { readonly name: string }>(items: Item[], query: ListQuery) => Item[],
): { readonly exchanges: ReferenceExchanges; readonly records: ReferenceRecords } {
  const all = new Map<string, Exchange>();
  const byId = (id: string) => [...all.values()].find(({ entry }) => entry.exchangeId === id);
  const isAlive = ({ destination: { kind, id } }: Binding) =>
    kind === 'stream' ? isThere(id) : byId(id) !== undefined;

  /** What is gone is gone with its bindings, and whatever has lost its last by that. */
  function settle(): void {
    for (let changed = true; changed; ) {
      changed = false;
      for (const [name, exchange] of all) {
        const alive = exchange.bindings.filter(isAlive);
        if (alive.length === exchange.bindings.length) continue;
        changed = true;
        exchange.bindings = alive;
        if (alive.length === 0 && exchange.entry.settings.autoDelete) all.delete(name);
      }
    }
  }

  const look = (id: string) => {
    settle();
    return byId(id);
  };
  const compiled = (exchange: Exchange | undefined) => {
    if (exchange === undefined) return undefined;
    const { name, exchangeId: id, settings } = exchange.entry;
    return compileExchange({ id, name, settings }, exchange.bindings);
  };

  const recordOf = ({ exchangeId, value, rid }: RecordClaim) => {
    const record = byId(exchangeId)?.records.get(value);
    return record?.rid === rid ? record : undefined;
  };
  const records: ReferenceRecords = {
    isOpen: (claim, stream) => {
      const record = recordOf(claim);
      return record !== undefined && !(stream && record.taken.has(stream));
    },
    take: (claim, stream) => {
      const record = recordOf(claim);
      const taken = new Set([...(record?.taken ?? []), stream]);
      if (record) byId(claim.exchangeId)?.records.set(claim.value, { ...record, taken });
    },
  };

  const exchanges: ReferenceExchanges = {
    isThere: (id) => look(id) !== undefined,
    load: async (name) => {
      settle();
      return all.get(name)?.entry;
    },
    create: async (entry) => {
      settle();
      if (all.has(entry.name)) return false;
      all.set(entry.name, { entry, bindings: [], records: new Map(), made: 0 });
      return true;
    },
    remove: async (name, id) => look(id) !== undefined && all.delete(name),
    list: async (query) => {
      settle();
      return page(
        [...all.values()].map(({ entry }) => entry),
        query,
      );
    },
    bind: async ({ exchangeId }, binding) => {
      const source = look(exchangeId);
      if (source === undefined) return 'source_gone';
      if (!isAlive(binding)) return 'destination_gone';
      if (source.bindings.some(({ name }) => name === binding.name)) return 'known';
      source.bindings = [...source.bindings, binding];
      return 'bound';
    },
    unbind: async ({ exchangeId }, name) => {
      const source = look(exchangeId);
      if (source === undefined) return 'source_gone';
      const left = source.bindings.filter((one) => one.name !== name);
      if (left.length === source.bindings.length) return 'unbound';
      source.bindings = left;
      if (left.length === 0 && source.entry.settings.autoDelete) all.delete(source.entry.name);
      return 'unbound';
    },
    bindings: async ({ exchangeId }, query) => page([...(look(exchangeId)?.bindings ?? [])], query),
    routes: async (name) => {
      settle();
      const start = compiled(all.get(name));
      return (
        start && {
          start,
          forget: async () => {},
          byId: (id) => compiled(byId(id)),
          byName: (one) => compiled(all.get(one)),
        }
      );
    },
    remember: async ({ exchangeId, deduplication: settings }, tries, nowMs) => {
      const exchange = look(exchangeId);
      return exchange && tries.map((one) => remembered(exchange, one, { settings, nowMs }));
    },
  };
  return { exchanges, records };
}

function remembered(
  exchange: Exchange,
  wanted: ValueTry,
  moment: Omit<RecordMoment, 'count'>,
): RoutingRecord | undefined {
  const count = exchange.made;
  const plan = planRecord(exchange.records.get(wanted.value), wanted, { ...moment, count });
  if (plan.kind === 'none') return undefined;
  if (plan.kind === 'made') {
    exchange.records.set(wanted.value, plan.record);
    exchange.made++;
  }
  return plan.record;
}
