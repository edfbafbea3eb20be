/**
 * Lets an exchange remember values (PROTOCOL R18). What is remembered is read; what is not gets numbers, then its item,
 * absent or as it was read. Refused: another process was first, and its record is read and judged anew.
 */
import { planRecord, type RoutingRecord, type ValueTry } from '../core/routing/routing-record.ts';
import type { RememberingExchange } from '../ports/exchanges.ts';
import { StoreError } from '../ports/store-error.ts';
import { numberOf, numberValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import { forgetRecords } from './forgotten-records.ts';
import { decodeRecord, keyOfRecord, putRecord } from './record-item.ts';
import type { Item, ItemKey, Table } from './table.ts';
import { recordCounterKey } from './table-key.ts';

/** Each try after the first met a record that another process made meanwhile. */
const TRIES_MAX = 16;

const COUNTER = '!';

interface Asked {
  readonly exchange: RememberingExchange;
  readonly nowMs: number;
}

/** A record that is to be made, over the one that was read. */
interface Made {
  readonly wanted: ValueTry;
  readonly key: ItemKey;
  readonly before: RoutingRecord | undefined;
}

export async function rememberValues(
  context: AwsContext,
  asked: Asked,
  tries: readonly ValueTry[],
): Promise<readonly (RoutingRecord | undefined)[]> {
  const found = new Map<ValueTry, RoutingRecord | undefined>();
  let open = tries;
  for (let count = 0; open.length > 0; count++) {
    if (count === TRIES_MAX) throw changedTooOften();
    const some = await rememberOnce(context, asked, open);
    for (const [wanted, record] of some) found.set(wanted, record);
    open = open.filter((wanted) => !found.has(wanted));
  }
  return tries.map((wanted) => found.get(wanted));
}

/** Of those that another process was not first with. */
async function rememberOnce(
  context: AwsContext,
  asked: Asked,
  tries: readonly ValueTry[],
): Promise<readonly (readonly [ValueTry, RoutingRecord | undefined])[]> {
  const { exchangeId, deduplication: settings } = asked.exchange;
  const items = await readItems(context.table, asked, tries);
  const count = countOf(items.get(COUNTER));
  const known: [ValueTry, RoutingRecord | undefined][] = [];
  const made: Made[] = [];
  for (const wanted of tries) {
    const key = keyOfRecord(exchangeId, wanted.value);
    const item = items.get(key.s);
    const before = item && decodeRecord(item);
    const plan = planRecord(before, wanted, { settings, count, nowMs: asked.nowMs });
    if (plan.kind === 'made') made.push({ wanted, key, before });
    else known.push([wanted, plan.kind === 'known' ? plan.record : undefined]);
  }
  return made.length === 0 ? known : [...known, ...(await makeRecords(context, asked, made))];
}

async function readItems(
  table: Table,
  { exchange: { exchangeId } }: Asked,
  tries: readonly ValueTry[],
): Promise<ReadonlyMap<string, Item>> {
  const keys = tries.map(({ value }) => keyOfRecord(exchangeId, value));
  const items = await table.getMany([...keys, recordCounterKey(exchangeId)]);
  return new Map(
    items.flatMap((item) => (item['s'] && 'S' in item['s'] ? [[item['s'].S, item]] : [])),
  );
}

function countOf(item: Item | undefined): number {
  return item === undefined ? 0 : numberOf(item, 'c');
}

/** Numbers that are drawn for nothing are left out: then the exchange remembers that much less. */
async function makeRecords(
  context: AwsContext,
  { exchange, nowMs }: Asked,
  made: readonly Made[],
): Promise<readonly (readonly [ValueTry, RoutingRecord])[]> {
  const { deduplication: settings } = exchange;
  const before = (await drawNumbers(context.table, exchange, made.length)) - made.length;
  const put = made.map(async ({ wanted, key, before: there }, at) => {
    // As if it had not been there: that it is to be replaced was decided by what was read.
    const plan = planRecord(undefined, wanted, { settings, count: before + at, nowMs });
    if (plan.kind !== 'made') return [];
    const result = await context.table.put(putRecord(key, plan.record, there), 'harmless');
    return result.kind === 'done' ? [[wanted, plan.record] as const] : [];
  });
  const done = (await Promise.all(put)).flat();
  await forgetRecords(context, exchange, { last: before + made.length, made, nowMs });
  return done;
}

async function drawNumbers(
  table: Table,
  { exchangeId }: RememberingExchange,
  count: number,
): Promise<number> {
  const result = await table.update(
    {
      key: recordCounterKey(exchangeId),
      update: 'ADD #c :count',
      values: { ':count': numberValue(count) },
    },
    'harmless',
  );
  return countOf(result.item);
}

function changedTooOften(): StoreError {
  return new StoreError(`records of the exchange changed ${TRIES_MAX} times while one was made`, {
    kind: 'unavailable',
    sideEffects: 'none',
  });
}
