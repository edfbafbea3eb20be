/**
 * A commit to a stream that is missing: refuses the appends that do not create one, and creates it with
 * the first that may, in one transaction that holds the first ref already (SPEC P12, PROTOCOL R10).
 */
import { assert } from '../core/assert.ts';
import type { CommitOutcome } from '../core/log/commit-batch.ts';
import type { StreamId, StreamName } from '../core/log/ids.ts';
import { encodeChunkObject } from '../format/chunk-object.ts';
import { chunkObjectName } from '../format/object-key.ts';
import { encodeTailRef } from '../format/tail-ref.ts';
import type { Ulid } from '../format/ulid.ts';
import type { Append } from '../ports/log-store.ts';
import { StoreError } from '../ports/store-error.ts';
import { bytesValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import { type CommitPlan, planStreamCommit } from './commit-plan.ts';
import { beforeLast, refOf } from './commit-update.ts';
import { createStream, type NewStream } from './create-stream.ts';
import { GRACE_MS } from './horizon.ts';
import { mintUlid } from './mint-ulid.ts';
import { encodePublisherEntry } from './publisher-entry.ts';
import { storeName } from './publisher-list.ts';
import { encodeGrave } from './sweep-streams.ts';
import { publisherHash } from './table-key.ts';
import type { FirstRef } from './tail-item.ts';
import { tidyTail } from './tail-upkeep.ts';

/** Undefined when somebody else created it meanwhile. */
export async function createByCommit(
  context: AwsContext,
  name: StreamName,
  appends: readonly Append[],
): Promise<readonly CommitOutcome[] | undefined> {
  const plan = planStreamCommit({ state: undefined, record: () => undefined }, appends);
  if (plan.timers.length > 0) {
    // Those before the one that creates it find none, and are told so by themselves.
    const refused = plan.outcomes.findIndex(({ kind }) => kind !== 'reject');
    if (refused > 0) return plan.outcomes.slice(0, refused);
    return await createForHeld(context, name, appends);
  }
  const first = plan.parts[0];
  if (first === undefined) return plan.outcomes;

  const { streamId, timeMs } = first.outcome;
  await digGrave(context, streamId);
  const ulid = mintUlid(context);
  const bytes = encodeChunkObject(plan.parts.map(({ part }) => part));
  await context.objects.put(chunkObjectName({ streamId, ulid }), bytes);
  const names = [...plan.changed.keys()];
  await Promise.all(names.map((publisher) => storeName(context.table, streamId, publisher)));
  const stream = { name, streamId, settings: {}, createdMs: timeMs };
  const ref = { ...refOf(plan, ulid), opensSegment: true };
  const isCreated = await createOrFind(context, stream, {
    token: ulid,
    first: {
      ref: bytesValue(encodeTailRef(ref)),
      count: ref.count,
      bytes: ref.bytes,
      lastChunk: beforeLast(plan),
      timeMs,
      publishers: firstPublishers(plan),
    },
  });
  if (!isCreated) return undefined;
  // It is stored, whatever becomes of this.
  const created = await loadIfPossible(context, name);
  if (created?.tail.streamId === streamId) await tidyTail(context, created);
  return plan.outcomes;
}

/**
 * What is held fills a transaction, so the stream comes to be before that: then the request is tried as any other. Who
 * ends in between leaves a stream without messages.
 */
async function createForHeld(
  context: AwsContext,
  name: StreamName,
  appends: readonly Append[],
): Promise<undefined> {
  const creating = appends.find(({ createAs }) => createAs !== undefined);
  assert(creating?.createAs !== undefined, 'a missing stream holds messages');
  const { createAs: streamId, timeMs } = creating;
  const stream = { name, streamId, settings: {}, createdMs: timeMs };
  await createOrFind(context, stream, { token: mintUlid(context) });
}

/**
 * Without it what is put next would never be found again by anybody, if the creation comes to nothing. One
 * that a sweeper was at is not dug anew: it may still be at work, and would sweep what lives by then.
 */
async function digGrave({ table, clock }: AwsContext, streamId: StreamId): Promise<void> {
  const deletedMs = clock.nowMs();
  const item = encodeGrave(streamId, { deletedMs, dueMs: deletedMs + GRACE_MS });
  try {
    // Never twice: the second could arrive when the stream lives.
    const dug = await table.put({ item, condition: 'attribute_not_exists(#w)' }, 'once');
    if (dug.kind === 'refused') throw new StoreError('the id was swept', UNTOUCHED);
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    throw new StoreError(cause.message, { ...UNTOUCHED, cause });
  }
}

const UNTOUCHED = { kind: 'unavailable', sideEffects: 'none' } as const;

function firstPublishers({ changed }: CommitPlan): FirstRef['publishers'] {
  return Object.fromEntries(
    [...changed].map(([name, record]) => [
      publisherHash(name),
      encodePublisherEntry(record, { base: 0 }),
    ]),
  );
}

/** After a lost answer the name tells: only this call can have created that incarnation. */
async function createOrFind(
  context: AwsContext,
  stream: NewStream,
  commit: { readonly token: Ulid; readonly first?: FirstRef },
): Promise<boolean> {
  try {
    return await createStream(context, stream, commit);
  } catch (error) {
    if (!(error instanceof StoreError) || error.sideEffects === 'none') throw error;
    const now = await loadIfPossible(context, stream.name);
    if (now?.tail.streamId === stream.streamId) return true;
    // It may still land, once nothing else has the name.
    throw error;
  }
}

/** A store that does not answer takes nothing back of what is stored; any other failure is a fault. */
async function loadIfPossible({ streams }: AwsContext, name: StreamName) {
  try {
    return await streams.load(name);
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}
