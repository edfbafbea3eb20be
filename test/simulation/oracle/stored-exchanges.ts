/**
 * Exchanges, their bindings, and which streams there are, as they were at each moment. Checks what each change may
 * do: whatever is bound or unbound raises the revision of its exchange, and nothing is bound to what is gone.
 */
import { decodeBinding, decodeExchange } from '../../../lib/aws/exchange-item.ts';
import { streamIdOf } from '../../../lib/aws/stream-loader.ts';
import type { Item } from '../../../lib/aws/table.ts';
import { bindingPartition, REGISTRY } from '../../../lib/aws/table-key.ts';
import type { StreamId, StreamName } from '../../../lib/core/log/ids.ts';
import type { Binding, Destination } from '../../../lib/core/routing/binding.ts';
import {
  type ExchangeId,
  type ExchangeName,
  type ExchangeSettings,
  exchangeId,
} from '../../../lib/core/routing/exchange.ts';
import { streamName } from '../../support/batches.ts';
import type { ItemChange } from '../stored-items.ts';
import { demand } from './violation.ts';

export interface SeenExchange {
  readonly id: ExchangeId;
  readonly name: ExchangeName;
  readonly settings: ExchangeSettings;
  readonly revision: number;
}

/** What there was from one moment on. */
export interface RoutingVersion {
  readonly from: number;
  readonly exchanges: ReadonlyMap<ExchangeId, SeenExchange>;
  readonly streams: ReadonlyMap<StreamName, StreamId>;
  /** By the partition and the sort key of their items. */
  readonly bindings: ReadonlyMap<string, SeenBinding>;
}

export interface SeenBinding {
  readonly source: ExchangeId;
  readonly binding: Binding;
}

const EXCHANGE = /^E[=#]/;
const BINDING = /^E[0-9a-f]{32}$/;
const PARTITION_LETTERS = 1;

export class StoredExchanges {
  /** Those that somebody asked to remove: the others go with their last binding alone. */
  readonly asked = new Set<ExchangeId>();
  /** Bindings that somebody asked to remove, by the ids of their exchanges and their names. */
  readonly unbound = new Set<string>();
  readonly #versions: RoutingVersion[] = [
    { from: 0, exchanges: new Map(), streams: new Map(), bindings: new Map() },
  ];
  #exchanges = new Map<ExchangeId, SeenExchange>();
  #streams = new Map<StreamName, StreamId>();
  #bindings = new Map<string, SeenBinding>();
  #hasChanged = false;

  get now(): RoutingVersion {
    const version = this.#versions.at(-1);
    if (version === undefined) throw new Error('there is always one');
    return version;
  }

  /** Every version that there was at some moment since `begunAt`. */
  since(begunAt: number): readonly RoutingVersion[] {
    const versions = this.#versions;
    return versions.filter((_, at) => (versions[at + 1]?.from ?? Infinity) > begunAt);
  }

  applyItem({ key: { k, s }, before, after }: ItemChange): void {
    if (k === REGISTRY) this.#applyStream(streamName(s), after);
    else if (EXCHANGE.test(k)) this.#applyExchange(before, after);
    else if (BINDING.test(k)) this.#applyBinding(k, s, after);
    else return;
    this.#hasChanged = true;
  }

  /** After all changes of a step. */
  check(moment: number): void {
    if (!this.#hasChanged) return;
    this.#hasChanged = false;
    const before = this.now;
    const after = {
      from: moment,
      exchanges: new Map(this.#exchanges),
      streams: new Map(this.#streams),
      bindings: new Map(this.#bindings),
    };
    this.#versions.push(after);
    checkRevisions(before, after);
    checkNewBindings(before, after);
    this.#checkUnbound(before, after);
    for (const exchange of before.exchanges.values()) {
      if (!after.exchanges.has(exchange.id)) this.#checkRemoved(exchange, before);
    }
  }

  /** Bindings of what is gone, when all work is done. */
  checkLeft(): void {
    const { bindings, exchanges } = this.now;
    const left = [...bindings.values()].filter(({ source }) => !exchanges.has(source));
    demand(left.length === 0, 'BINDING_FOREVER', () => left.map(textOf).join());
  }

  #applyStream(name: StreamName, after: Item | undefined): void {
    if (after === undefined) this.#streams.delete(name);
    else this.#streams.set(name, streamIdOf(after));
  }

  #applyExchange(before: Item | undefined, after: Item | undefined): void {
    if (before !== undefined) this.#exchanges.delete(decodeExchange(before).entry.exchangeId);
    if (after === undefined) return;
    const { entry, revision } = decodeExchange(after);
    const { exchangeId: id, name, settings } = entry;
    this.#exchanges.set(id, { id, name, settings, revision });
  }

  #applyBinding(k: string, s: string, after: Item | undefined): void {
    const source = exchangeId(k.slice(PARTITION_LETTERS));
    if (after === undefined) this.#bindings.delete(`${k}/${s}`);
    else this.#bindings.set(`${k}/${s}`, { source, binding: decodeBinding(after) });
  }

  /** Bindings to what is there, of exchanges that are. */
  #checkUnbound(before: RoutingVersion, after: RoutingVersion): void {
    for (const [key, one] of before.bindings) {
      const { source, binding } = one;
      if (after.bindings.has(key) || !after.exchanges.has(source)) continue;
      const isRight =
        this.unbound.has(`${source} ${binding.name}`) || !isThere(after, binding.destination);
      demand(isRight, 'UNBOUND_FOR_NOTHING', () => textOf(one));
    }
  }

  #checkRemoved({ id, name, settings }: SeenExchange, before: RoutingVersion): void {
    if (this.asked.has(id)) return;
    const living = bindingsOf(before, id).filter(({ binding }) =>
      isThere(before, binding.destination),
    );
    const isRight = settings.autoDelete && living.length === 0;
    demand(isRight, 'EXCHANGE_REMOVED_FOR_NOTHING', () => `${name} ${id} with ${living.length}`);
  }
}

export function isThere({ exchanges, streams }: RoutingVersion, to: Destination): boolean {
  return to.kind === 'exchange' ? exchanges.has(to.id) : streams.get(to.name) === to.id;
}

export function bindingsOf({ bindings }: RoutingVersion, id: ExchangeId): readonly SeenBinding[] {
  return [...bindings.values()].filter(({ source }) => source === id);
}

export function named({ exchanges }: RoutingVersion, name: ExchangeName): SeenExchange | undefined {
  return [...exchanges.values()].find((one) => one.name === name);
}

export function textOf({ source, binding: { name, destination } }: SeenBinding): string {
  return `${source} to ${name} ${destination.id}`;
}

function checkRevisions(before: RoutingVersion, after: RoutingVersion): void {
  for (const exchange of after.exchanges.values()) {
    const earlier = before.exchanges.get(exchange.id);
    if (earlier === undefined) continue;
    const what = () => `${exchange.name}: ${earlier.revision}, then ${exchange.revision}`;
    demand(exchange.revision >= earlier.revision, 'WENT_BACK', what);
    const texts = (version: RoutingVersion) => bindingsOf(version, exchange.id).map(textOf).join();
    const isSame = texts(before) === texts(after);
    demand(isSame || exchange.revision > earlier.revision, 'REVISION_NOT_RAISED', what);
  }
}

function checkNewBindings(before: RoutingVersion, after: RoutingVersion): void {
  for (const [key, one] of after.bindings) {
    const { source, binding } = one;
    if (before.bindings.get(key)?.binding.destination.id === binding.destination.id) continue;
    const partition = bindingPartition(source);
    demand(after.exchanges.has(source), 'BOUND_TO_NOTHING', () => `${partition}: ${textOf(one)}`);
    demand(isThere(after, binding.destination), 'BOUND_TO_WHAT_IS_GONE', () => textOf(one));
  }
}
