/**
 * Removes bindings to streams that a publish found to be gone (PROTOCOL R13), so that the next ones do not look for
 * them again: each in a transaction that raises its exchange's revision, under the id that is gone.
 */

import type { CompiledExchange } from '../core/routing/compiled-exchange.ts';
import type { ExchangeId } from '../core/routing/exchange.ts';
import type { RoutingGraph, StreamDestination } from '../core/routing/route.ts';
import { numberValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import { decodeBinding, idValue } from './exchange-item.ts';
import { mintUlid } from './mint-ulid.ts';
import { bindingKey, bindingPartition, exchangeKey } from './table-key.ts';

/** What is left of more is found by the next publish. */
const BINDINGS_AT_ONCE_MAX = 100;

/** The messages are stored, or have nowhere to go: what fails here is for the operators to know. */
export async function forgetBindings(
  context: AwsContext,
  graph: RoutingGraph,
  gone: readonly StreamDestination[],
): Promise<void> {
  try {
    for (const exchange of exchangesIn(graph)) {
      for (const stream of gone) await forgetIn(context, exchange, stream);
    }
  } catch (error) {
    context.telemetry.error('removing_bindings_failed', { exchange: graph.start.name, error });
  }
}

function exchangesIn(graph: RoutingGraph): Iterable<CompiledExchange> {
  const seen = new Map<ExchangeId, CompiledExchange>([[graph.start.id, graph.start]]);
  // A map is walked over with what is added to it on the way.
  for (const { next, settings } of seen.values()) {
    const alternate = settings.alternateExchange && graph.byName(settings.alternateExchange);
    for (const one of [...next.map((id) => graph.byId(id)), alternate]) {
      if (one !== undefined && !seen.has(one.id)) seen.set(one.id, one);
    }
  }
  return seen.values();
}

async function forgetIn(
  context: AwsContext,
  { id, name }: CompiledExchange,
  stream: StreamDestination,
): Promise<void> {
  const { items } = await context.table.query({
    k: bindingPartition(id),
    from: `stream/${encodeURIComponent(stream.name)}/`,
    limit: BINDINGS_AT_ONCE_MAX,
  });
  const dead = items.map(decodeBinding).filter(({ destination }) => destination.id === stream.id);
  for (const binding of dead) {
    await context.table.transact(
      [
        {
          kind: 'update',
          key: exchangeKey(name),
          update: 'SET #r = #r + :one',
          condition: '#i = :id',
          values: { ':one': numberValue(1), ':id': idValue(id) },
        },
        {
          kind: 'delete',
          key: bindingKey(id, binding.name),
          condition: '#i = :gone',
          values: { ':gone': idValue(stream.id) },
        },
      ],
      Buffer.from(mintUlid(context)).toString('hex'),
    );
  }
}
