/**
 * Makes sure that a commit under this id never takes effect from now on (PROTOCOL R1): by the stream's set
 * of cancelled ids, or, when that is full, by its horizon, which makes all writers under way upload again.
 */
import { compareBytes, type Ulid } from '../format/ulid.ts';
import { StoreError } from '../ports/store-error.ts';
import { bytesValue, numberValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import { laterMs, putDue } from './due-work.ts';
import { GRACE_MS } from './horizon.ts';
import type { KnownStream } from './known-stream.ts';
import type { Item, Table, UpdateRequest, WriteResult } from './table.ts';
import { tailKey } from './table-key.ts';
import { decodeTail, streamIdValue, type Tail } from './tail-item.ts';

const CANCELLED_MAX = 8;
/** The horizon is raised at most once for each id that fills the set meanwhile. */
const TRIES_MAX = 8;

/** The tail of the answer: what it does not hold was spilled before, or will never be. */
export async function fenceUlid(
  context: AwsContext,
  stream: KnownStream,
  ulid: Ulid,
): Promise<Item | undefined> {
  const { table, clock } = context;
  const { streamId } = stream.tail;
  // By then it has long been of no use, and the horizon may pass over it.
  await putDue(context, { kind: 'cancelled', streamId, dueMs: laterMs(clock.nowMs() + GRACE_MS) });
  let result = await table.update(cancel(stream, ulid), 'harmless');
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const { item } = result;
    if (result.kind === 'done' || item === undefined) return item;
    const tail = decodeTail(item);
    if (tail.streamId !== stream.tail.streamId || isBehind(tail, ulid)) return item;
    result = await raiseHorizon(table, { ...stream, tail }, ulid);
  }
  throw new StoreError('a commit whose answer was lost could not be fenced', {
    kind: 'unavailable',
    sideEffects: 'possible',
  });
}

function isBehind({ horizon }: Tail, ulid: Ulid): boolean {
  return compareBytes(horizon, ulid) >= 0;
}

function cancel({ name, tail }: KnownStream, ulid: Ulid): UpdateRequest {
  return {
    key: tailKey(name),
    update: 'ADD #c :only',
    condition:
      '#i = :id AND #h < :ulid AND (attribute_not_exists(#c) OR size(#c) < :max OR contains(#c, :ulid))',
    values: {
      ':id': streamIdValue(tail.streamId),
      ':ulid': bytesValue(ulid),
      ':only': { BS: [ulid] },
      ':max': numberValue(CANCELLED_MAX),
    },
  };
}

/** Cancelled ids leave only here, where the horizon passes over them. */
export async function raiseHorizon(
  table: Table,
  { name, tail }: KnownStream,
  horizon: Ulid,
): Promise<WriteResult> {
  const passed = tail.cancelled.filter((ulid) => compareBytes(ulid, horizon) <= 0);
  return await table.update(
    {
      key: tailKey(name),
      update: `SET #h = :horizon${passed.length > 0 ? ' DELETE #c :passed' : ''}`,
      condition: '#i = :id AND #h < :horizon',
      values: {
        ':id': streamIdValue(tail.streamId),
        ':horizon': bytesValue(horizon),
        ...(passed.length > 0 && { ':passed': { BS: passed } }),
      },
    },
    'harmless',
  );
}
