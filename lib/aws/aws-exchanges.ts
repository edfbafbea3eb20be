/**
 * Exchanges on the table: the port, put together from its parts (PROTOCOL R13). What is bound to a stream or exchange
 * that is gone stays until somebody comes upon it; nobody is shown it, and nothing is routed by it.
 */
import type { BindingName } from '../core/routing/binding.ts';
import type { ExchangeName } from '../core/routing/exchange.ts';
import { holdingPlace } from '../core/timer/held-message.ts';
import { compareBytes } from '../format/ulid.ts';
import type { ExchangeEntry, Exchanges, UnbindOutcome } from '../ports/exchanges.ts';
import type { ListQuery } from '../ports/log-store.ts';
import { numberValue, textValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import { bindTo } from './bind-exchange.ts';
import { unlistedSteps } from './create-stream.ts';
import {
  decodeExchange,
  encodeExchange,
  encodeListed,
  idValue,
  listedName,
  type StoredExchange,
} from './exchange-item.ts';
import { forgetBindings } from './forget-bindings.ts';
import { KnownExchanges } from './known-exchanges.ts';
import { listLiving } from './living-bindings.ts';
import { mintUlid } from './mint-ulid.ts';
import { rememberValues } from './remember-values.ts';
import type { Table, TransactionStep } from './table.ts';
import {
  bindingKey,
  EXCHANGES,
  exchangeGraveKey,
  exchangeKey,
  exchangeListKey,
  tailKey,
} from './table-key.ts';

const ITEMS_PER_READ_MAX = 100;

export function createAwsExchanges(context: AwsContext): Exchanges {
  const { table } = context;
  const known = new KnownExchanges(table);
  return {
    load: async (name) => (await loadLiving(context, name))?.entry,
    create: (entry) => create(context, entry),
    async remove(name, id) {
      const stored = await storedAs(context, name);
      return stored?.entry.exchangeId === id && (await remove(context, stored.entry));
    },
    list: (query) => listExchanges(context, query),
    bind: (source, binding) => bindTo(context, source, binding),
    unbind: (source, name) => unbind(context, source, name),
    bindings: ({ exchangeId: id }, query) => listLiving(table, id, query),
    async routes(name) {
      const graph = await known.routes(name);
      return graph && { ...graph, forget: (gone) => forgetBindings(context, graph, gone) };
    },
    remember: (exchange, tries, nowMs) => rememberValues(context, { exchange, nowMs }, tries),
  };
}

/**
 * One that is to go with its last binding goes when somebody looks, if what it was bound to has gone without it. Its
 * revision tells whether it ever had one (SPEC X9).
 */
async function loadLiving(
  context: AwsContext,
  name: ExchangeName,
): Promise<StoredExchange | undefined> {
  for (;;) {
    const stored = await storedAs(context, name);
    if (stored === undefined || !(await isOver(context, stored))) return stored;
    await remove(context, stored.entry, stored.revision);
  }
}

async function storedAs(
  { table }: AwsContext,
  name: ExchangeName,
): Promise<StoredExchange | undefined> {
  const item = await table.get(exchangeKey(name));
  return item && decodeExchange(item);
}

async function isOver({ table }: AwsContext, stored: StoredExchange): Promise<boolean> {
  const { entry, revision } = stored;
  if (!entry.settings.autoDelete || revision === 0) return false;
  const any = { prefix: '', startAfter: '', limit: 1 };
  return (await listLiving(table, entry.exchangeId, any)).length === 0;
}

async function create(context: AwsContext, entry: ExchangeEntry): Promise<boolean> {
  const steps = [encodeExchange(entry), encodeListed(entry)].map((item): TransactionStep => {
    return { kind: 'put', item, condition: 'attribute_not_exists(#k)' };
  });
  const all = entry.settings.delayed === undefined ? steps : [...steps, ...placeSteps(entry)];
  return (await context.table.transact(all, tokenOf(context))).kind === 'done';
}

/** Where it holds messages (SPEC L9). */
function placeSteps({ exchangeId: id, createdMs }: ExchangeEntry): readonly TransactionStep[] {
  const { name, id: streamId } = holdingPlace(id);
  return unlistedSteps({ name, streamId, settings: {}, createdMs });
}

function placeRemoval({ exchangeId, settings }: ExchangeEntry): readonly TransactionStep[] {
  if (settings.delayed === undefined) return [];
  const { name, id } = holdingPlace(exchangeId);
  return [
    {
      kind: 'delete',
      key: tailKey(name),
      condition: '#i = :id',
      values: { ':id': idValue(id) },
    },
  ];
}

/** With what it is bound to it is gone at once, as nobody finds that but by its id; the grave has it swept. */
async function remove(
  context: AwsContext,
  entry: ExchangeEntry,
  revision?: number,
): Promise<boolean> {
  const { name, exchangeId: id } = entry;
  const values = { ':id': idValue(id) };
  const grave = exchangeGraveKey(id);
  const result = await context.table.transact(
    [
      {
        kind: 'delete',
        key: exchangeKey(name),
        condition: revision === undefined ? '#i = :id' : '#i = :id AND #r = :revision',
        values: {
          ...values,
          ...(revision !== undefined && { ':revision': numberValue(revision) }),
        },
      },
      { kind: 'delete', key: exchangeListKey(name), condition: '#i = :id', values },
      {
        kind: 'put',
        item: {
          k: textValue(grave.k),
          s: textValue(grave.s),
          d: numberValue(context.clock.nowMs()),
        },
      },
      ...placeRemoval(entry),
    ],
    tokenOf(context),
  );
  return result.kind === 'done';
}

async function unbind(
  context: AwsContext,
  { name: source, exchangeId: id, settings }: ExchangeEntry,
  name: BindingName,
): Promise<UnbindOutcome> {
  const result = await context.table.transact(
    [
      {
        kind: 'update',
        key: exchangeKey(source),
        update: 'SET #r = #r + :one',
        condition: '#i = :id',
        values: { ':one': numberValue(1), ':id': idValue(id) },
      },
      { kind: 'delete', key: bindingKey(id, name), condition: 'attribute_exists(#k)' },
    ],
    tokenOf(context),
  );
  if (result.kind === 'refused' && result.steps[0]?.refused) return 'source_gone';
  // Also of one that was removed before, perhaps by a process that ended there.
  if (settings.autoDelete) await loadLiving(context, source);
  return 'unbound';
}

async function listExchanges(
  context: AwsContext,
  query: ListQuery,
): Promise<readonly ExchangeEntry[]> {
  const names = await listNames(context.table, query);
  const entries = new Map<ExchangeName, ExchangeEntry>();
  for (let at = 0; at < names.length; at += ITEMS_PER_READ_MAX) {
    const keys = names.slice(at, at + ITEMS_PER_READ_MAX).map(exchangeKey);
    for (const item of await context.table.getMany(keys)) {
      const { entry } = decodeExchange(item);
      entries.set(entry.name, entry);
    }
  }
  return names.flatMap((name) => entries.get(name) ?? []);
}

async function listNames(
  table: Table,
  { prefix, startAfter, limit }: ListQuery,
): Promise<readonly ExchangeName[]> {
  const names: ExchangeName[] = [];
  const from = compareBytes(Buffer.from(startAfter), Buffer.from(prefix)) > 0 ? startAfter : prefix;
  let page: string | undefined;
  do {
    const found = await table.query({
      k: EXCHANGES,
      ...(from !== '' && { from }),
      // One more, since the range begins with the name that was given last.
      limit: limit - names.length + 1,
      ...(page !== undefined && { page }),
    });
    for (const name of found.items.map(listedName)) {
      if (name === startAfter) continue;
      if (!name.startsWith(prefix) || names.length === limit) return names;
      names.push(name);
    }
    page = found.next;
  } while (page !== undefined);
  return names;
}

function tokenOf(context: AwsContext): string {
  return Buffer.from(mintUlid(context)).toString('hex');
}
