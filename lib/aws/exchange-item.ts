/**
 * Items of exchanges (PROTOCOL R13). Of an exchange, by its name: i its id, r revision, m name, d declaration as JSON,
 * c when it was made; of the list, by its name: i. Of a binding, in the partition of its exchange's id: n its name, t
 * what kind of destination, m whose name, i whose id, p properties key, q routing key, a arguments.
 */
import type { StreamName } from '../core/log/ids.ts';
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
import { StoreError } from '../ports/store-error.ts';
import { bytesOf, bytesValue, numberOf, numberValue, textOf, textValue } from './attribute.ts';
import type { Attribute, Item } from './table.ts';
import { bindingKey, exchangeKey, exchangeListKey } from './table-key.ts';

export interface StoredExchange {
  readonly entry: ExchangeEntry;
  readonly revision: number;
}

export function idValue(id: string): Attribute {
  return bytesValue(Buffer.from(id, 'hex'));
}

export function idOf(item: Item): string {
  return Buffer.from(bytesOf(item, 'i')).toString('hex');
}

export function encodeExchange({ name, exchangeId: id, settings, createdMs }: ExchangeEntry): Item {
  const { k, s } = exchangeKey(name);
  return {
    k: textValue(k),
    s: textValue(s),
    i: idValue(id),
    r: numberValue(0),
    m: textValue(name),
    d: textValue(JSON.stringify(exchangeMembers(settings))),
    c: numberValue(createdMs),
  };
}

export function encodeListed({ name, exchangeId: id }: ExchangeEntry): Item {
  const { k, s } = exchangeListKey(name);
  return { k: textValue(k), s: textValue(s), i: idValue(id) };
}

export function listedName(item: Item): ExchangeName {
  return textOf(item, 's') as ExchangeName;
}

export function decodeExchange(item: Item): StoredExchange {
  const name = textOf(item, 'm') as ExchangeName;
  const parsed = parseExchange(JSON.parse(textOf(item, 'd')));
  if (parsed.kind === 'reject') {
    const what = `the declaration of exchange ${name} cannot be read: ${parsed.reason}`;
    throw new StoreError(what, { kind: 'corrupt', sideEffects: 'none' });
  }
  const { settings } = parsed;
  const entry = {
    name,
    exchangeId: exchangeId(idOf(item)),
    settings,
    createdMs: numberOf(item, 'c'),
  };
  return { entry, revision: numberOf(item, 'r') };
}

export function encodeBinding(source: ExchangeId, binding: Binding): Item {
  const { name, destination, propertiesKey, routingKey, arguments: args } = binding;
  const { k, s } = bindingKey(source, name);
  return {
    k: textValue(k),
    s: textValue(s),
    n: textValue(name),
    t: textValue(destination.kind),
    m: textValue(destination.name),
    i: idValue(destination.id),
    p: textValue(propertiesKey),
    q: textValue(routingKey),
    a: textValue(args),
  };
}

export function decodeBinding(item: Item): Binding {
  return {
    name: storedBindingName(textOf(item, 'n')),
    propertiesKey: storedPropertiesKey(textOf(item, 'p')),
    destination: decodeDestination(item),
    routingKey: textOf(item, 'q'),
    arguments: storedArguments(textOf(item, 'a')),
  };
}

function decodeDestination(item: Item): Destination {
  const [name, id] = [textOf(item, 'm'), idOf(item)];
  return textOf(item, 't') === 'stream'
    ? { kind: 'stream', name: name as StreamName, id: streamId(id) }
    : { kind: 'exchange', name: name as ExchangeName, id: exchangeId(id) };
}
