/**
 * Commits appends to one stream (PROTOCOL R1): the object first, then one conditional update that makes it
 * visible. A refusal shows the stream as it is, and the appends are planned again; an answer that got
 * lost is looked for, never sent again blindly.
 */
import { assert } from '../core/assert.ts';
import type { CommitOutcome } from '../core/log/commit-batch.ts';
import type { PublisherName, StreamName } from '../core/log/ids.ts';
import { encodeChunkObject } from '../format/chunk-object.ts';
import { chunkObjectName } from '../format/object-key.ts';
import { compareBytes, isSameUlid, type Ulid } from '../format/ulid.ts';
import type { Append } from '../ports/log-store.ts';
import { StoreError } from '../ports/store-error.ts';
import type { AwsContext } from './aws-context.ts';
import { type CommitPlan, placeOutcomes, planStreamCommit } from './commit-plan.ts';
import { commitUpdate, REFS_MAX } from './commit-update.ts';
import { createByCommit } from './create-by-commit.ts';
import { type KnownStream, streamStateOf } from './known-stream.ts';
import { mintUlid } from './mint-ulid.ts';
import { leaveEndedSegment, openedSegment } from './opened-segment.ts';
import { placeRefs } from './placed-refs.ts';
import { storeName } from './publisher-list.ts';
import { loadSide, NO_SIDE, type Side } from './publisher-side.ts';
import { recoverCommit } from './recover-commit.ts';
import { rememberedPublishers } from './remembered-publishers.ts';
import { spillWhile } from './spill-refs.ts';
import type { Item } from './table.ts';
import { publisherHash } from './table-key.ts';
import { tidyTail } from './tail-upkeep.ts';

/** Each try after the first met a change that another writer made meanwhile. */
const TRIES_MAX = 32;

/** Outcomes in the order of the appends, which take effect in that order. */
export async function commitToStream(
  context: AwsContext,
  name: StreamName,
  appends: readonly Append[],
): Promise<readonly CommitOutcome[]> {
  const outcomes: CommitOutcome[] = [];
  try {
    while (outcomes.length < appends.length) {
      outcomes.push(...(await commitRun(context, name, appends.slice(outcomes.length))));
    }
    return outcomes;
  } catch (error) {
    // An error is told to all of them, those that an earlier run stored among them.
    throw outcomes.some(({ kind }) => kind === 'stored') ? perhapsStored(error) : error;
  }
}

/** The stream as a try knows it; fresh when it was read after the appends came in. */
interface Known {
  readonly stream: KnownStream | undefined;
  readonly isFresh: boolean;
}

/** An object that was put for an earlier try. */
interface PutObject {
  readonly ulid: Ulid;
  readonly plan: CommitPlan;
}

interface Try {
  readonly stream: KnownStream;
  readonly side: Side;
  readonly plan: CommitPlan;
  readonly object: PutObject;
}

type TryResult =
  | { readonly kind: 'done'; readonly outcomes: readonly CommitOutcome[] }
  | {
      readonly kind: 'again';
      readonly known: Known;
      readonly object: PutObject | undefined;
      readonly mayLand?: boolean;
    };

async function commitRun(
  context: AwsContext,
  name: StreamName,
  appends: readonly Append[],
): Promise<readonly CommitOutcome[]> {
  let run: Run = {
    name,
    appends,
    known: { stream: context.streams.known(name), isFresh: false },
    object: undefined,
    mayLand: false,
  };
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const result = await tryUnlessLost(context, run);
    if (result.kind === 'done') return result.outcomes;
    run = { ...run, ...result, mayLand: run.mayLand || result.mayLand === true };
  }
  throw new StoreError(`the stream changed ${TRIES_MAX} times while a commit to it was tried`, {
    kind: 'unavailable',
    sideEffects: run.mayLand ? 'possible' : 'none',
  });
}

interface Run {
  readonly name: StreamName;
  readonly appends: readonly Append[];
  readonly known: Known;
  readonly object: PutObject | undefined;
  /** A commit of named publishers got no answer: only a later one of theirs keeps it from landing. */
  readonly mayLand: boolean;
}

async function tryUnlessLost(context: AwsContext, run: Run): Promise<TryResult> {
  try {
    return await tryRun(context, run);
  } catch (error) {
    throw run.mayLand ? perhapsStored(error) : error;
  }
}

function perhapsStored(cause: unknown): unknown {
  if (!(cause instanceof StoreError)) return cause;
  return new StoreError(cause.message, { kind: cause.kind, sideEffects: 'possible', cause });
}

async function tryRun(context: AwsContext, run: Run): Promise<TryResult> {
  const { name, appends, known } = run;
  if (known.stream === undefined) return await tryCreation(context, run);

  const { stream } = known;
  const side = await neededSide(context, stream, appends);
  const plan = planStreamCommit(planBase(stream, side), appends);
  // What refuses an append must be true now, not when somebody looked last.
  if (!known.isFresh && plan.outcomes.some(({ kind }) => kind !== 'stored')) {
    return { kind: 'again', known: await loaded(context, name), object: run.object };
  }
  if (plan.parts.length === 0) return { kind: 'done', outcomes: plan.outcomes };

  const object = await putObject(context, stream, { plan, earlier: run.object });
  return await tryCommit(context, { stream, side, plan, object });
}

async function tryCreation(context: AwsContext, { name, appends, known }: Run): Promise<TryResult> {
  if (known.isFresh) {
    const outcomes = await createByCommit(context, name, appends);
    if (outcomes !== undefined) return { kind: 'done', outcomes };
  }
  return { kind: 'again', known: await loaded(context, name), object: undefined };
}

async function loaded({ streams }: AwsContext, name: StreamName): Promise<Known> {
  return { stream: await streams.load(name), isFresh: true };
}

function planBase(stream: KnownStream, side: Side) {
  const entries = rememberedPublishers(stream.tail.publishers, side.entries);
  return {
    state: streamStateOf(stream),
    record: (publisher: PublisherName) => entries.get(publisherHash(publisher))?.record,
  };
}

/** Read only for a publisher that the tail does not hold, and only when somebody left it (PROTOCOL R9). */
async function neededSide(
  { table }: AwsContext,
  { tail }: KnownStream,
  appends: readonly Append[],
): Promise<Side> {
  const isNeeded =
    tail.sideVersion > 0 &&
    appends.some(
      ({ publisher }) => publisher && !tail.publishers.has(publisherHash(publisher.name)),
    );
  return isNeeded ? await loadSide(table, tail.streamId) : NO_SIDE;
}

/** Before anything refers to it (PROTOCOL, invariant 1). One that a refused try put is used again. */
async function putObject(
  context: AwsContext,
  { tail }: KnownStream,
  { plan, earlier }: { readonly plan: CommitPlan; readonly earlier: PutObject | undefined },
): Promise<PutObject> {
  if (earlier && isUsable(earlier.ulid, tail) && isSameContent(earlier.plan, plan)) return earlier;

  const ulid = mintUlid(context, tail.horizon);
  const bytes = encodeChunkObject(plan.parts.map(({ part }) => part));
  await context.objects.put(chunkObjectName({ streamId: tail.streamId, ulid }), bytes);
  return { ulid, plan };
}

function isUsable(ulid: Ulid, { horizon, cancelled }: KnownStream['tail']): boolean {
  return compareBytes(horizon, ulid) < 0 && !cancelled.some((fenced) => isSameUlid(fenced, ulid));
}

function isSameContent(a: CommitPlan, b: CommitPlan): boolean {
  return (
    a.parts.length === b.parts.length &&
    a.parts.every(({ index, outcome }, at) => {
      const other = b.parts[at];
      return (
        other?.index === index &&
        other.outcome.duplicates === outcome.duplicates &&
        other.outcome.streamId === outcome.streamId
      );
    })
  );
}

async function tryCommit(context: AwsContext, attempt: Try): Promise<TryResult> {
  const { stream, side, plan, object } = attempt;
  await Promise.all([storeNewNames(context, attempt), leaveEndedSegment(context, stream, plan)]);
  const update = commitUpdate({ stream, plan, ulid: object.ulid, sideVersion: side.version });
  try {
    const result = await context.table.update(update, 'once');
    if (result.kind === 'refused') return await afterRefusal(context, attempt, result.item);
    assert(result.item !== undefined, 'a commit without an answer');
    return await committed(context, attempt, context.streams.committed(stream, result.item));
  } catch (error) {
    if (!(error instanceof StoreError) || error.sideEffects === 'none') throw error;
    return await afterLostAnswer(context, attempt);
  }
}

async function committed(
  context: AwsContext,
  { plan, object }: Try,
  stream: KnownStream,
): Promise<TryResult> {
  const ref = placeRefs(stream.tail, stream.tail.refs).at(-1);
  assert(ref !== undefined && isSameUlid(ref.ulid, object.ulid), 'a commit without its ref');
  context.chunks.keep(
    stream.tail.streamId,
    ref,
    plan.parts.map(({ part }) => part),
  );
  await tidyTail(context, stream, openedSegment(stream, plan, ref));
  return { kind: 'done', outcomes: placeOutcomes(plan, ref) };
}

/** The answer shows why: a tail without room is given some, all else is planned anew. */
async function afterRefusal(
  context: AwsContext,
  { stream: before, object }: Try,
  item: Item | undefined,
): Promise<TryResult> {
  const now = await context.streams.adopt(before.name, item);
  const stream = now && (await spillWhile(context, now, ({ refs }) => refs.length >= REFS_MAX));
  return { kind: 'again', known: { stream, isFresh: true }, object };
}

async function afterLostAnswer(
  context: AwsContext,
  { stream, plan, object: { ulid } }: Try,
): Promise<TryResult> {
  // Whether a token refuses it later is not said by its publisher's ids: tokens may come back.
  const isNamed = plan.parts.every(
    ({ append }) => append.publisher !== undefined && append.fencingToken === undefined,
  );
  const recovered = await recoverCommit(context, { stream, ulid, isNamed });
  if (recovered.kind === 'stored') {
    const { placement } = recovered;
    await tidyTail(context, recovered.stream, openedSegment(recovered.stream, plan, placement));
    return { kind: 'done', outcomes: placeOutcomes(plan, placement) };
  }
  // It may still be on its way: what comes next goes by another id.
  const known = { stream: recovered.stream, isFresh: true };
  return { kind: 'again', known, object: undefined, mayLand: isNamed };
}

/** Names are for lists only, and kept before the commit, so that nobody is listed without one. */
async function storeNewNames(
  { table }: AwsContext,
  { stream: { tail }, side, plan }: Try,
): Promise<void> {
  const unknown = [...plan.changed.keys()].filter((name) => {
    const key = publisherHash(name);
    return !tail.publishers.has(key) && !side.entries.has(key);
  });
  await Promise.all(unknown.map((name) => storeName(table, tail.streamId, name)));
}
