/** Binds destinations to exchanges, unbinds them, and lists what is bound (SPEC X6). */
import { quote } from '../core/quote.ts';
import {
  type Binding,
  type BindingArguments,
  type BindingName,
  bindingFault,
  bindingName,
  type Destination,
  type DestinationName,
  type PropertiesKey,
  routingKeyFault,
} from '../core/routing/binding.ts';
import type { ListQuery } from '../ports/log-store.ts';
import type { Components } from './components.ts';
import { type ExchangeReference, loadExchange, refuseDefault } from './exchanges.ts';
import { type ListPage, listPage } from './list-page.ts';
import { loadStream } from './load-stream.ts';
import { exchangeNotFound, invalid, type LogError, streamNotFound } from './log-error.ts';

/** A destination that is created again meanwhile is bound as the one that is there then. */
const ATTEMPTS_MAX = 8;

export interface BindRequest {
  readonly source: ExchangeReference;
  readonly destination: DestinationName;
  readonly routingKey: string;
  readonly arguments: BindingArguments;
  /** Of that key and these arguments. */
  readonly propertiesKey: PropertiesKey;
}

export interface BoundExchange {
  readonly created: boolean;
  readonly binding: Binding;
}

export async function bindExchange(
  components: Components,
  request: BindRequest,
): Promise<BoundExchange> {
  const { routingKey, arguments: args, propertiesKey } = request;
  const source = await loadExchange(components, refuseDefault(request.source));
  refuseFault(routingKeyFault(routingKey), routingKey);
  const fault = bindingFault(source.settings, request);
  if (fault !== undefined) throw invalid(fault.field, fault.reason);

  const name = bindingName(request.destination, propertiesKey);
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const destination = await loadDestination(components, request.destination);
    const binding = { name, propertiesKey, destination, routingKey, arguments: args };
    const outcome = await components.exchanges.bind(source, binding);
    if (outcome === 'source_gone') throw exchangeNotFound(source.name);
    if (outcome !== 'destination_gone') return { created: outcome === 'bound', binding };
  }
  throw notFound(request.destination);
}

/** Nothing is wrong with a binding that is not there; the exchange must be (SPEC X6). */
export async function unbindExchange(
  components: Components,
  request: { readonly source: ExchangeReference; readonly name: BindingName },
): Promise<void> {
  const source = await loadExchange(components, refuseDefault(request.source));
  const outcome = await components.exchanges.unbind(source, request.name);
  if (outcome === 'source_gone') throw exchangeNotFound(source.name);
}

export async function listBindings(
  components: Components,
  name: ExchangeReference,
  query: ListQuery,
): Promise<ListPage<Binding>> {
  const source = await loadExchange(components, refuseDefault(name));
  const { exchanges } = components;
  return await listPage(query, (wider) => exchanges.bindings(source, wider));
}

function refuseFault(fault: string | undefined, routingKey: string): void {
  if (fault === undefined) return;
  throw invalid('routing_key', `routing_key ${quote(routingKey)} ${fault}`);
}

async function loadDestination(
  components: Components,
  { kind, name }: DestinationName,
): Promise<Destination> {
  if (kind === 'exchange') {
    const { exchangeId: id } = await loadExchange(components, name);
    return { kind, name, id };
  }
  const { streamId: id } = await loadStream(components, name);
  return { kind, name, id };
}

function notFound({ kind, name }: DestinationName): LogError {
  return kind === 'exchange' ? exchangeNotFound(name) : streamNotFound(name);
}
