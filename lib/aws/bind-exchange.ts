/**
 * Binds (PROTOCOL R13): one transaction that raises the source's revision, puts the binding, and holds the destination
 * to the incarnation that is bound. A binding to an earlier incarnation of that name is replaced.
 */
import type { Binding, Destination } from '../core/routing/binding.ts';
import type { ExchangeId, ExchangeName } from '../core/routing/exchange.ts';
import type { BindOutcome, ExchangeEntry } from '../ports/exchanges.ts';
import { numberValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import { decodeExchange, encodeBinding, idValue } from './exchange-item.ts';
import { mintUlid } from './mint-ulid.ts';
import type { ItemKey, TransactionStep } from './table.ts';
import { exchangeKey, registryKey } from './table-key.ts';

export async function bindTo(
  context: AwsContext,
  { name, exchangeId: source }: ExchangeEntry,
  binding: Binding,
): Promise<BindOutcome> {
  const { destination } = binding;
  const steps: TransactionStep[] = [
    {
      kind: 'update',
      key: exchangeKey(name),
      update: 'SET #r = #r + :one',
      condition: '#i = :id',
      values: { ':one': numberValue(1), ':id': idValue(source) },
    },
    {
      kind: 'put',
      item: encodeBinding(source, binding),
      condition: 'attribute_not_exists(#k) OR #i <> :to',
      values: { ':to': idValue(destination.id) },
    },
  ];
  // A transaction has one step for an item, and the first has seen to it.
  const isItself = destination.kind === 'exchange' && destination.name === name;
  if (isItself && destination.id !== source) return await oneIsGone(context, name, source);
  if (!isItself) steps.push(holdTo(destination));
  const token = Buffer.from(mintUlid(context)).toString('hex');
  const result = await context.table.transact(steps, token);
  if (result.kind === 'done') return 'bound';
  const [from, put, to] = result.steps;
  if (from?.refused) return 'source_gone';
  if (to?.refused) return 'destination_gone';
  return put?.refused ? 'known' : 'destination_gone';
}

/** Two incarnations of one name are never there together. */
async function oneIsGone(
  { table }: AwsContext,
  name: ExchangeName,
  source: ExchangeId,
): Promise<BindOutcome> {
  const item = await table.get(exchangeKey(name));
  const isThere = item !== undefined && decodeExchange(item).entry.exchangeId === source;
  return isThere ? 'destination_gone' : 'source_gone';
}

function holdTo(destination: Destination): TransactionStep {
  return {
    kind: 'check',
    key: destinationKey(destination),
    condition: '#i = :id',
    values: { ':id': idValue(destination.id) },
  };
}

/** The item that is there while the destination is; never a tail, which commits write. */
export function destinationKey(destination: Destination): ItemKey {
  return destination.kind === 'stream'
    ? registryKey(destination.name)
    : exchangeKey(destination.name);
}
