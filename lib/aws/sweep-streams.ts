/**
 * Sweeps what deleted streams left behind (PROTOCOL R10): items, then objects. A grave stays for a week
 * after its stream was deleted, and until a sweep finds nothing: an upload or a change that was under way
 * then may arrive late, and nobody else would ever find it.
 */
import { assert } from '../core/assert.ts';
import { type StreamId, streamId } from '../core/log/ids.ts';
import { streamPrefix } from '../format/object-key.ts';
import { numberOf, numberValue, textOf, textValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import type { Objects } from './objects.ts';
import { removeItems } from './remove-items.ts';
import type { Item, Table } from './table.ts';
import {
  bindingPartition,
  consumerPartition,
  controlKey,
  GRAVES,
  graveKey,
  indexPartition,
  publisherNameKey,
  recordPartition,
  segmentPartition,
  settingsKey,
  sideKey,
  valuePartition,
} from './table-key.ts';

/** Above the longest time for which anything sent is still under way, by far. */
const GRAVE_MS = 7 * 86_400_000;
/** Between sweeps that find nothing. */
const AGAIN_MS = 86_400_000;

export interface Grave {
  readonly streamId: StreamId;
  readonly deletedMs: number;
  /** When it is to be swept next. */
  readonly dueMs: number;
}

export function decodeGrave(item: Item): Grave {
  const deletedMs = numberOf(item, 'd');
  return {
    streamId: streamId(textOf(item, 's')),
    deletedMs,
    dueMs: item['n'] === undefined ? deletedMs : numberOf(item, 'n'),
  };
}

export async function dueGraves(table: Table, nowMs: number): Promise<readonly Grave[]> {
  const graves: Grave[] = [];
  let page: string | undefined;
  do {
    const { items, next } = await table.query({ k: GRAVES, ...(page !== undefined && { page }) });
    graves.push(...items.map(decodeGrave).filter(({ dueMs }) => dueMs <= nowMs));
    page = next;
  } while (page !== undefined);
  return graves;
}

/** Dug before a stream is created by its first messages: what those leave is found if it never is. */
export function encodeGrave(id: StreamId, { deletedMs, dueMs }: Omit<Grave, 'streamId'>): Item {
  const { k, s } = graveKey(id);
  return {
    k: textValue(k),
    s: textValue(s),
    d: numberValue(deletedMs),
    n: numberValue(dueMs),
  };
}

/** Removes all it finds; what it finds makes it look again soon. */
export async function sweepGrave(context: AwsContext, grave: Grave): Promise<void> {
  const { table, objects, clock } = context;
  const key = graveKey(grave.streamId);
  // From now on no creation that is still under way can succeed.
  const closed = await table.update(
    {
      key,
      update: 'SET #w = :swept',
      condition: 'attribute_exists(#k)',
      values: { ':swept': numberValue(1) },
    },
    'harmless',
  );
  if (closed.kind === 'refused') return;
  // It cannot be, and if it were, this would be the end of all its messages.
  const alive = await context.streams.loadById(grave.streamId);
  assert(alive === undefined, () => `stream ${grave.streamId} has a grave and is alive`);
  const found = (await sweepItems(table, grave.streamId)) + (await sweepObjects(objects, grave));
  const nowMs = clock.nowMs();
  if (found === 0 && nowMs - grave.deletedMs > GRAVE_MS) {
    await table.delete({ key }, 'harmless');
    return;
  }
  await table.update(
    {
      key,
      update: 'SET #n = :again',
      condition: 'attribute_exists(#k)',
      values: { ':again': numberValue(found === 0 ? nowMs + AGAIN_MS : nowMs) },
    },
    'harmless',
  );
}

async function sweepItems(table: Table, id: StreamId): Promise<number> {
  const partitions = [
    indexPartition(id),
    segmentPartition(id),
    consumerPartition(id),
    publisherNameKey(id, '').k,
    sideKey(id).k,
    settingsKey(id).k,
    controlKey(id).k,
    valuePartition(id),
    // Of an exchange, whose id is as those of streams are.
    bindingPartition(id),
    recordPartition(id),
  ];
  let removed = 0;
  for (const partition of partitions) removed += await removeItems(table, partition);
  return removed;
}

async function sweepObjects(objects: Objects, { streamId: id }: Grave): Promise<number> {
  let removed = 0;
  for (;;) {
    const { names, next } = await objects.list({ prefix: streamPrefix(id) });
    if (names.length > 0) await objects.deleteMany(names);
    removed += names.length;
    if (next === undefined) return removed;
  }
}
