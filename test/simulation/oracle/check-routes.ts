/**
 * What a publish may be routed by: everything that was bound from its beginning to its end leads on, nothing that
 * was not bound at any moment of it does (SPEC X7). Bindings count by the ids of both ends (SPEC T13). Told by a
 * second implementation of routing, over what there was all the time and what there was at some time.
 */
import { NOT_HELD } from '../../../lib/core/routing/compiled-exchange.ts';
import type { ExchangeId, ExchangeName } from '../../../lib/core/routing/exchange.ts';
import { RoutedHeaders } from '../../../lib/core/routing/headers-matcher.ts';
import { type RoutingGraph, routeMessage } from '../../../lib/core/routing/route.ts';
import {
  isThere,
  named,
  type RoutingVersion,
  type SeenBinding,
  type SeenExchange,
  textOf,
} from './stored-exchanges.ts';
import { demand, Violation } from './violation.ts';

/** By which messages are routed, and bindings made. */
export const ROUTING_KEYS = ['', 'a', 'b'];

export interface Look {
  readonly name: ExchangeName;
  /** Every version since the call began. */
  readonly versions: readonly RoutingVersion[];
}

export function checkRoutes(look: Look, graph: RoutingGraph | undefined): void {
  const { name, versions } = look;
  const starts = versions.map((version) => named(version, name)?.id);
  const isRight = starts.includes(graph?.start.id);
  demand(isRight, 'ROUTED_FROM_ELSEWHERE', () => `${name}: ${graph?.start.id} of ${starts}`);
  if (graph === undefined) return;
  for (const key of ROUTING_KEYS) {
    const routed = routeTo(graph, key);
    const must = reach(mustGraph(look, graph.start.id), key);
    const may = reach(mayGraph(look, graph.start.id), key);
    const what = () => `${name} by ${key}: ${[...routed]}, must ${[...must]}, may ${[...may]}`;
    demand(
      [...must].every((id) => routed.has(id)),
      'BINDING_NOT_HONOURED',
      what,
    );
    demand(
      [...routed].every((id) => may.has(id)),
      'ROUTED_BY_WHAT_WAS_NOT_BOUND',
      what,
    );
  }
}

function routeTo(graph: RoutingGraph, key: string): ReadonlySet<string> {
  const routed = routeMessage(graph, {
    keys: [key],
    headers: new RoutedHeaders(undefined),
    hold: () => NOT_HELD,
  });
  if (routed.kind !== 'ok') throw new Violation('ROUTED_WRONG', routed.kind);
  return new Set(routed.destinations.map(({ id }) => id));
}

/** Edges of a graph: bindings that lead on, and alternates for when none of the others does. */
interface Edges {
  readonly start: ExchangeId | undefined;
  bindings(id: ExchangeId): readonly SeenBinding[];
  /** None of these leads on: then the alternate is taken. */
  rivals(id: ExchangeId): readonly SeenBinding[];
  alternates(id: ExchangeId): readonly ExchangeId[];
  typeOf(id: ExchangeId): string | undefined;
}

function reach(edges: Edges, key: string): ReadonlySet<string> {
  const streams = new Set<string>();
  const seen = new Set(edges.start === undefined ? [] : [edges.start]);
  for (const id of seen) {
    const matches = ({ binding }: SeenBinding) =>
      edges.typeOf(id) === 'fanout' || binding.routingKey === key;
    for (const { binding } of edges.bindings(id).filter(matches)) {
      const { destination } = binding;
      if (destination.kind === 'stream') streams.add(destination.id);
      else seen.add(destination.id);
    }
    if (edges.rivals(id).some(matches)) continue;
    for (const alternate of edges.alternates(id)) seen.add(alternate);
  }
  return streams;
}

/** What led on all the time. */
function mustGraph(look: Look, start: ExchangeId): Edges {
  const { versions } = look;
  const always = (id: ExchangeId) => versions.every(({ exchanges }) => exchanges.has(id));
  return {
    start: always(start) ? start : undefined,
    bindings: (id) => (always(id) ? leadingAlways(look, id) : []),
    rivals: (id) => leadingEver(look, id),
    alternates: (id) => {
      const name = exchangeOf(look, id)?.settings.alternateExchange;
      const ids = new Set(versions.map((version) => name && named(version, name)?.id));
      const [only] = ids;
      return ids.size === 1 && only !== undefined ? [only] : [];
    },
    typeOf: (id) => exchangeOf(look, id)?.settings.type,
  };
}

/** What led on at some time. */
function mayGraph(look: Look, start: ExchangeId): Edges {
  const { versions } = look;
  return {
    start,
    bindings: (id) => leadingEver(look, id),
    rivals: (id) => leadingAlways(look, id),
    alternates: (id) => {
      const name = exchangeOf(look, id)?.settings.alternateExchange;
      return versions.flatMap((version) => (name && named(version, name)?.id) ?? []);
    },
    typeOf: (id) => exchangeOf(look, id)?.settings.type,
  };
}

function exchangeOf({ versions }: Look, id: ExchangeId): SeenExchange | undefined {
  return versions.map(({ exchanges }) => exchanges.get(id)).find((one) => one !== undefined);
}

/** A stream that is gone is found out by the commit: until then a binding leads to it. */
function leading(version: RoutingVersion, id: ExchangeId): readonly SeenBinding[] {
  return [...version.bindings.values()].filter(
    ({ source, binding: { destination } }) =>
      source === id && (destination.kind === 'stream' || isThere(version, destination)),
  );
}

function leadingEver({ versions }: Look, id: ExchangeId): readonly SeenBinding[] {
  return versions.flatMap((version) => leading(version, id));
}

function leadingAlways({ versions }: Look, id: ExchangeId): readonly SeenBinding[] {
  const [first, ...others] = versions;
  if (first === undefined) return [];
  const texts = others.map((version) => new Set(leading(version, id).map(textOf)));
  return leading(first, id).filter((one) => texts.every((text) => text.has(textOf(one))));
}
