/** Bindings of an exchange as they are listed: those that lead to something that is there (PROTOCOL R13). */
import type { Binding } from '../core/routing/binding.ts';
import type { ExchangeId } from '../core/routing/exchange.ts';
import { compareBytes } from '../format/ulid.ts';
import type { ListQuery } from '../ports/log-store.ts';
import { bytesOf } from './attribute.ts';
import { destinationKey } from './bind-exchange.ts';
import { decodeBinding } from './exchange-item.ts';
import type { ItemKey, Table } from './table.ts';
import { bindingPartition, bindingSortKey } from './table-key.ts';

/** As many destinations as one read tells of. */
const PAGE_MAX = 100;

export async function listLiving(
  table: Table,
  id: ExchangeId,
  { prefix, startAfter, limit }: ListQuery,
): Promise<readonly Binding[]> {
  const living: Binding[] = [];
  const isBehind = compareBytes(Buffer.from(startAfter), Buffer.from(prefix)) > 0;
  const from = isBehind ? bindingSortKey(startAfter) : prefix;
  let page: string | undefined;
  do {
    const found = await table.query({
      k: bindingPartition(id),
      ...(from !== '' && { from }),
      limit: PAGE_MAX,
      ...(page !== undefined && { page }),
    });
    const bindings = found.items.map(decodeBinding);
    const end = bindings.findIndex(({ name }) => !name.startsWith(prefix));
    const some = bindings.slice(0, end < 0 ? bindings.length : end);
    const wanted = some.filter(({ name }) => name !== startAfter);
    living.push(...(await withoutDead(table, wanted)));
    if (living.length >= limit || end >= 0) break;
    page = found.next;
  } while (page !== undefined);
  return living.slice(0, limit);
}

async function withoutDead(
  table: Table,
  bindings: readonly Binding[],
): Promise<readonly Binding[]> {
  const keys = new Map<string, ItemKey>();
  for (const { destination } of bindings) {
    const key = destinationKey(destination);
    keys.set(textOfKey(key), key);
  }
  if (keys.size === 0) return [];
  const items = await table.getMany([...keys.values()]);
  const ids = new Map(
    items.map((item) => [keyText(item), Buffer.from(bytesOf(item, 'i')).toString('hex')]),
  );
  return bindings.filter(
    ({ destination }) => ids.get(textOfKey(destinationKey(destination))) === destination.id,
  );
}

function textOfKey({ k, s }: ItemKey): string {
  return `${k}\0${s}`;
}

function keyText({ k, s }: Awaited<ReturnType<Table['getMany']>>[number]): string {
  return textOfKey({ k: k && 'S' in k ? k.S : '', s: s && 'S' in s ? s.S : '' });
}
