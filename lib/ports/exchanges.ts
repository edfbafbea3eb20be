/**
 * Exchanges and their bindings: what they mean is core's (`routeMessage`). Durable and visible like commits: a
 * publish that begins after a change was acknowledged is routed by it, in whatever process (SPEC P2, P8, X7).
 * Bindings lead to incarnations, and go with either end of theirs (SPEC T13); failures are StoreErrors.
 */
import type { Deduplication } from '../core/log/deduplication.ts';
import type { Binding, BindingName } from '../core/routing/binding.ts';
import type { ExchangeId, ExchangeName, ExchangeSettings } from '../core/routing/exchange.ts';
import type { RoutingGraph, StreamDestination } from '../core/routing/route.ts';
import type { RoutingRecord, ValueTry } from '../core/routing/routing-record.ts';
import type { ListQuery } from './log-store.ts';

export interface ExchangeEntry {
  readonly name: ExchangeName;
  readonly exchangeId: ExchangeId;
  readonly settings: ExchangeSettings;
  readonly createdMs: number;
}

export interface OpenRoutes extends RoutingGraph {
  /** Streams that turned out to be gone: what leads to them may be removed. Never fails. */
  forget(gone: readonly StreamDestination[]): Promise<void>;
}

export interface RememberingExchange {
  readonly exchangeId: ExchangeId;
  readonly deduplication: Deduplication;
}

/** `source_gone` and `destination_gone`: that incarnation is, and nothing was changed. */
export type BindOutcome = 'bound' | 'known' | 'source_gone' | 'destination_gone';
/** Nobody is told whether it was there (SPEC X6). */
export type UnbindOutcome = 'unbound' | 'source_gone';

export interface Exchanges {
  load(name: ExchangeName): Promise<ExchangeEntry | undefined>;

  /** False when the name is taken; then nothing is changed. */
  create(entry: ExchangeEntry): Promise<boolean>;

  /** With all bindings from and to it, at once. False when that incarnation is gone already. */
  remove(name: ExchangeName, exchangeId: ExchangeId): Promise<boolean>;

  list(query: ListQuery): Promise<readonly ExchangeEntry[]>;

  bind(source: ExchangeEntry, binding: Binding): Promise<BindOutcome>;

  /** An exchange that is to go with its last binding goes with it (SPEC X9). */
  unbind(source: ExchangeEntry, name: BindingName): Promise<UnbindOutcome>;

  /** In the order of their names; those that lead to something gone are left out. */
  bindings(source: ExchangeEntry, query: ListQuery): Promise<readonly Binding[]>;

  /**
   * The exchange and all that can be reached from it, as bound when the call began or later (SPEC X7). A stream that
   * it leads to may be gone: a commit to that incarnation tells. Undefined when there is no such exchange.
   */
  routes(name: ExchangeName): Promise<OpenRoutes | undefined>;

  /**
   * What the exchange remembers of these different values, each as it is or as it is remembered from now on (core's
   * `planRecord`); undefined for one that is to go nowhere. Who has its message is noted by the commits that store it
   * (`Append.records`). None at all when the exchange is gone.
   */
  remember(
    exchange: RememberingExchange,
    tries: readonly ValueTry[],
    nowMs: number,
  ): Promise<readonly (RoutingRecord | undefined)[] | undefined>;
}
