/**
 * Commits appends to one stream (PROTOCOL R1): the object first, then one conditional update that makes it
 * visible. A refusal shows the stream as it is, and the appends are planned again; an answer that got
 * lost is looked for, never sent again blindly.
 */
import type { CommitOutcome } from '../core/log/commit-batch.ts';
import type { PublisherName, StreamName } from '../core/log/ids.ts';
import type { RecordClaim } from '../core/routing/routing-record.ts';
import type { Append } from '../ports/log-store.ts';
import { StoreError } from '../ports/store-error.ts';
import type { AwsContext } from './aws-context.ts';
import { type PutObject, putCommitObject } from './commit-object.ts';
import { type CommitPlan, placeOutcomes, planStreamCommit } from './commit-plan.ts';
import { REFS_MAX } from './commit-update.ts';
import { createByCommit } from './create-by-commit.ts';
import { removeForgotten } from './forgotten-values.ts';
import { hearPublishers } from './hear-publishers.ts';
import { holdMessages, isAlone } from './hold-messages.ts';
import { type KnownStream, streamStateOf } from './known-stream.ts';
import { loadValues, type ValueItems, valueMemory } from './known-values.ts';
import { leaveEndedSegment, openedSegment } from './opened-segment.ts';
import { storeNewNames } from './publisher-list.ts';
import { loadSide, NO_SIDE, type Side } from './publisher-side.ts';
import { takeKnown } from './record-item.ts';
import { recoverCommit } from './recover-commit.ts';
import { rememberedPublishers } from './remembered-publishers.ts';
import { type PlannedCommit, type Sent, sendCommit } from './send-commit.ts';
import { spillWhile } from './spill-refs.ts';
import { publisherHash } from './table-key.ts';
import { tidyTail } from './tail-upkeep.ts';
import { wakeForHeld } from './wake-deliverer.ts';

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

type Try = PlannedCommit & { readonly object: PutObject };

type TryResult =
  | { readonly kind: 'done'; readonly outcomes: readonly CommitOutcome[] }
  | {
      readonly kind: 'again';
      readonly known: Known;
      readonly object: PutObject | undefined;
      readonly mayLand?: boolean;
      readonly changed?: readonly RecordClaim[];
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
    changed: [],
  };
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const result = await tryUnlessLost(context, run);
    if (result.kind === 'done') return result.outcomes;
    const changed = [...run.changed, ...(result.changed ?? [])];
    run = { ...run, ...result, changed, mayLand: run.mayLand || result.mayLand === true };
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
  /** Claims whose records turned out to be others. */
  readonly changed: readonly RecordClaim[];
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
  const [side, remembered] = await Promise.all([
    neededSide(context, stream, appends),
    loadValues(context, stream, appends),
  ]);
  const { items } = remembered;
  const isOpen = (claim: RecordClaim) => !run.changed.includes(claim);
  const base = { ...planBase(stream, side, items), isOpen };
  const plan = planStreamCommit(base, remembered.appends);
  if (!known.isFresh && needsFresh(plan)) {
    return { kind: 'again', known: await loaded(context, name), object: run.object };
  }
  const planned = { stream, side, items, plan };
  if (plan.parts.length + plan.timers.length === 0) {
    return await tryHearing(context, planned, run.object);
  }
  const object = await putCommitObject(context, stream, { plan, earlier: run.object });
  const attempt = { ...planned, ulid: object.ulid, object };
  return await (plan.parts.length === 0
    ? tryHolding(context, attempt)
    : tryCommit(context, attempt));
}

/** What refuses an append must be true now, not when somebody looked last; and what is held under no condition. */
function needsFresh(plan: CommitPlan): boolean {
  return isAlone(plan) || plan.outcomes.some(({ kind }) => kind !== 'stored' && kind !== 'held');
}

/** Nothing is stored now, some is held. */
async function tryHolding(context: AwsContext, attempt: Try): Promise<TryResult> {
  const { plan, object } = attempt;
  const held = await holdMessages(context, attempt);
  if (held.kind === 'again') {
    const { stream, ...rest } = held;
    // By another id where that one may still be on its way.
    const again = rest.mayLand ? undefined : object;
    return { ...rest, known: { stream, isFresh: true }, object: again };
  }
  return { kind: 'done', outcomes: plan.outcomes };
}

/** Nothing is stored: at most the records of publishers change. */
async function tryHearing(
  context: AwsContext,
  planned: Omit<PlannedCommit, 'ulid'>,
  object: PutObject | undefined,
): Promise<TryResult> {
  const { outcomes, changed, taken } = planned.plan;
  await takeKnown(context.table, planned.stream.name, taken);
  if (changed.size === 0) return { kind: 'done', outcomes };
  await storeNewNames(context, planned);
  const heard = await hearPublishers(context, planned);
  if (heard.kind === 'done') return { kind: 'done', outcomes };
  return { kind: 'again', known: { stream: heard.stream, isFresh: true }, object };
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

function planBase(stream: KnownStream, side: Side, items: ValueItems) {
  const entries = rememberedPublishers(stream.tail.publishers, side.entries);
  return {
    state: streamStateOf(stream),
    record: (publisher: PublisherName) => entries.get(publisherHash(publisher))?.record,
    values: valueMemory(stream, items),
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

async function tryCommit(context: AwsContext, attempt: Try): Promise<TryResult> {
  const { stream, plan } = attempt;
  await Promise.all([storeNewNames(context, attempt), leaveEndedSegment(context, stream, plan)]);
  try {
    const sent = await sendCommit(context, attempt);
    if (sent.kind === 'refused') return await afterRefusal(context, attempt, sent);
    return await committed(context, attempt, sent);
  } catch (error) {
    if (!(error instanceof StoreError) || error.sideEffects === 'none') throw error;
    return await afterLostAnswer(context, attempt);
  }
}

async function committed(
  context: AwsContext,
  { plan }: Try,
  { stream, ref }: Extract<Sent, { kind: 'stored' }>,
): Promise<TryResult> {
  context.chunks.keep(
    stream.tail.streamId,
    ref,
    plan.parts.map(({ part }) => part),
  );
  await tidyTail(context, stream, openedSegment(stream, plan, ref));
  await removeForgotten(context, stream, plan.recorded);
  await wakeForHeld(context, plan.timers);
  return { kind: 'done', outcomes: placeOutcomes(plan, ref) };
}

/** The answer shows why: a tail without room is given some, all else is planned anew. */
async function afterRefusal(
  context: AwsContext,
  { stream: before, object }: Try,
  sent: Extract<Sent, { kind: 'refused' }>,
): Promise<TryResult> {
  const { streams } = context;
  const now = await (sent.by === 'tail'
    ? streams.adopt(before.name, sent.item)
    : streams.load(before.name));
  const stream = now && (await spillWhile(context, now, ({ refs }) => refs.length >= REFS_MAX));
  const known = { stream, isFresh: true };
  return { kind: 'again', known, object, ...(sent.by === 'record' && { changed: sent.changed }) };
}

async function afterLostAnswer(
  context: AwsContext,
  { stream, plan, object: { ulid } }: Try,
): Promise<TryResult> {
  const { isNamed } = plan;
  const recovered = await recoverCommit(context, { stream, ulid, isNamed });
  if (recovered.kind === 'stored') {
    const { placement } = recovered;
    await tidyTail(context, recovered.stream, openedSegment(recovered.stream, plan, placement));
    await wakeForHeld(context, plan.timers);
    return { kind: 'done', outcomes: placeOutcomes(plan, placement) };
  }
  // It may still be on its way: what comes next goes by another id.
  const known = { stream: recovered.stream, isFresh: true };
  return { kind: 'again', known, object: undefined, mayLand: isNamed };
}
