/**
 * Stores an offset of a consumer (PROTOCOL R16): one small update, but for the first of a name, which is counted.
 * A raise may be sent again, since it never lowers; what replaces an offset is sent once, as a fencing token is.
 */
import type { OffsetChange, OffsetOutcome, StoredOffset } from '../core/consumers/stored-offset.ts';
import type { ConsumerName, StreamId } from '../core/log/ids.ts';
import { effectiveSettings } from '../core/log/settings.ts';
import { StoreError } from '../ports/store-error.ts';
import { numberValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import { countUp, countUpWithin } from './consumer-counter.ts';
import { decodeStored, encodeConsumer } from './consumer-item.ts';
import { dueStep } from './due-work.ts';
import type { KnownStream } from './known-stream.ts';
import { mintUlid } from './mint-ulid.ts';
import type { Item, TransactionStep, WriteResult } from './table.ts';
import { consumerKey } from './table-key.ts';

/** Each is a removal, or another first one of the name, that came between. */
const TRIES_MAX = 8;

interface Save {
  readonly stream: KnownStream;
  readonly name: ConsumerName;
  readonly change: OffsetChange;
}

/** Undefined when the stream is gone, as far as this process knows; what it leaves then is swept (PROTOCOL R10). */
export async function saveOffset(
  context: AwsContext,
  id: StreamId,
  { name, change }: Omit<Save, 'stream'>,
): Promise<OffsetOutcome | undefined> {
  // `next` only rises: an offset that was within the stream once is so for ever (PROTOCOL, invariant 6).
  const stream = await context.streams.covering(id, change.next);
  if (stream === undefined) return undefined;
  const { next } = stream.tail;
  if (change.next > next) return { kind: 'beyond', next };

  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const stored = await saveOnce(context, { stream, name, change });
    if (stored !== undefined) return { kind: 'stored', stored };
  }
  throw new StoreError(`a consumer came and went ${TRIES_MAX} times while its offset was stored`, {
    kind: 'unavailable',
    sideEffects: 'none',
  });
}

/** Undefined when it is to be tried again. */
async function saveOnce(context: AwsContext, save: Save): Promise<StoredOffset | undefined> {
  const { change } = save;
  const written = { next: change.next, writtenMs: change.nowMs };
  const updated = await updateStored(context, save);
  if (updated.kind === 'done') return written;
  // What is there is as high already.
  if (updated.item !== undefined) return decodeStored(updated.item);
  return (await storeFirst(context, save, written)) ? written : undefined;
}

async function updateStored(
  { table }: AwsContext,
  { stream, name, change }: Save,
): Promise<WriteResult> {
  const isRaise = change.kind === 'raise';
  return await table.update(
    {
      key: consumerKey(stream.tail.streamId, name),
      update: 'SET #o = :next, #m = :now',
      condition: isRaise ? '#o < :next' : 'attribute_exists(#k)',
      values: { ':next': numberValue(change.next), ':now': numberValue(change.nowMs) },
    },
    isRaise ? 'harmless' : 'once',
  );
}

/** False when there is one by now. */
async function storeFirst(
  context: AwsContext,
  { stream, name }: Save,
  stored: StoredOffset,
): Promise<boolean> {
  const { streamId } = stream.tail;
  const put = putFirst(encodeConsumer(streamId, name, stored));
  const { consumer_limit } = effectiveSettings(stream.settings);
  const counted = await transact(context, [put, countUpWithin(streamId, consumer_limit)]);
  if (counted.kind === 'done') return true;
  if (counted.steps[0]?.refused) return false;

  // The work under an id that is new, so that who ends it now does not take this one for done (PROTOCOL R14).
  const work = { kind: 'consumers', streamId, dueMs: overLimitMs(context.clock.nowMs()) } as const;
  const left = await transact(context, [put, countUp(streamId), dueStep(context, work)]);
  return left.kind === 'done';
}

function putFirst(item: Item): TransactionStep {
  return { kind: 'put', item, condition: 'attribute_not_exists(#k)' };
}

async function transact(context: AwsContext, steps: readonly TransactionStep[]) {
  return await context.table.transact(steps, Buffer.from(mintUlid(context)).toString('hex'));
}

/** At once, and one item for all that come within ten seconds. */
function overLimitMs(nowMs: number): number {
  return Math.floor(nowMs / 10_000) * 10_000;
}
