/**
 * Carries out what a shard is to release (PROTOCOL R12), whoever wrote it down: one commit to each stream, by a
 * publisher whose id is the number of the plan, so that a second one stores nothing; then the messages go, then the
 * plan. One that is gone shows that all of it was committed.
 */
import { assert } from '../core/assert.ts';
import type { CommitOutcome } from '../core/log/commit-batch.ts';
import type { StreamId } from '../core/log/ids.ts';
import { dueMsOf } from '../core/timer/held-id.ts';
import type { Sending } from '../core/timer/release-plan.ts';
import type { Append } from '../ports/log-store.ts';
import type { DueMessage, Released } from '../ports/timers.ts';
import { joinBytes } from '../wire/record-list.ts';
import type { AwsContext } from './aws-context.ts';
import { commitToStream } from './commit-stream.ts';
import { type LoadedTimer, loadRecords } from './due-messages.ts';
import { removeBodies } from './held-bodies.ts';
import { releasePublisher } from './release-publisher.ts';
import { doneUpdate, type OpenPlan } from './shard-item.ts';
import { timerKey } from './table-key.ts';
import { decodeTimer, type StoredTimer } from './timer-item.ts';

export interface Execution {
  readonly shard: number;
  readonly plan: OpenPlan;
  readonly nowMs: number;
  /** Of whom has just written the plan: it read them under the version that the plan was written under. */
  readonly covered?: readonly LoadedTimer[];
}

const KEYS_PER_READ_MAX = 100;
/** Of 25 messages each. */
const DELETES_MAX = 8;
/** Each holds a copy of what it sends, up to 4 MiB. */
const COMMITS_MAX = 8;

/** Undefined when somebody else was first to end the plan: it tells of what was released. */
export async function executePlan(
  context: AwsContext,
  execution: Execution,
): Promise<Released | undefined> {
  const { shard, plan } = execution;
  const messages = execution.covered ?? (await loadCovered(context, execution));
  const sent = messages === undefined ? undefined : await sendAll(context, execution, messages);
  await removeMessages(context, execution);
  await removeBodies(context, messages?.map(({ timer }) => timer) ?? []);
  const done = await context.table.update(doneUpdate(shard, plan.seq), 'harmless');
  return done.kind === 'done' ? releasedBy(plan, sent) : undefined;
}

/** Some at a time: a thousand one after the other would take a second. */
async function removeMessages(
  { table }: AwsContext,
  { shard, plan: { ids } }: Execution,
): Promise<void> {
  const parts = Array.from({ length: DELETES_MAX }, (_, part) =>
    ids.filter((_id, index) => index % DELETES_MAX === part).map((id) => timerKey(shard, id)),
  );
  await Promise.all(parts.map((keys) => table.deleteMany(keys)));
}

/** In the order of the plan; undefined when one of them is gone. */
async function loadCovered(
  context: AwsContext,
  { shard, plan: { ids } }: Execution,
): Promise<readonly LoadedTimer[] | undefined> {
  const timers: StoredTimer[] = [];
  for (let at = 0; at < ids.length; at += KEYS_PER_READ_MAX) {
    const keys = ids.slice(at, at + KEYS_PER_READ_MAX).map((id) => timerKey(shard, id));
    const items = await context.table.getMany(keys);
    if (items.length < keys.length) return undefined;
    timers.push(...items.map(decodeTimer));
  }
  timers.sort((a, b) => (a.message.id < b.message.id ? -1 : 1));
  return await loadRecords(context, timers);
}

interface SentTo {
  readonly sending: Sending;
  readonly outcome: 'stored' | 'known' | 'gone';
}

async function sendAll(
  context: AwsContext,
  execution: Execution,
  messages: readonly LoadedTimer[],
): Promise<readonly SentTo[]> {
  const { sendings } = execution.plan;
  const sent: SentTo[] = [];
  for (let at = 0; at < sendings.length; at += COMMITS_MAX) {
    const wave = sendings.slice(at, at + COMMITS_MAX).map(async (sending) => {
      return { sending, outcome: await send(context, execution, { sending, messages }) };
    });
    // All end before an error of one is told: nothing of this goes on behind whoever tries it again.
    const settled = await Promise.allSettled(wave);
    for (const one of settled) {
      if (one.status === 'rejected') throw one.reason;
      sent.push(one.value);
    }
  }
  return sent;
}

async function send(
  context: AwsContext,
  execution: Execution,
  { sending, messages }: { readonly sending: Sending; readonly messages: readonly LoadedTimer[] },
): Promise<SentTo['outcome']> {
  const append = appendOf(execution, sending, messages);
  if (append === undefined) return 'gone';
  const outcome = await commitOne(context, append);
  // They were accepted, and nobody is left to be told what is wrong with them: they are stored unjudged.
  if (!isRefusedByContent(outcome)) return outcomeOf(outcome);
  const recordedBefore = Array.from({ length: append.batch.count }, (_, index) => index);
  return outcomeOf(await commitOne(context, { ...append, recordedBefore }));
}

async function commitOne(context: AwsContext, append: Append): Promise<CommitOutcome> {
  const [outcome] = await commitToStream(context, append.stream, [append]);
  assert(outcome !== undefined, 'a commit without an outcome');
  return outcome;
}

function isRefusedByContent(outcome: CommitOutcome): boolean {
  if (outcome.kind !== 'reject') return false;
  return outcome.code === 'invalid_request' || outcome.code === 'too_many_messages';
}

function outcomeOf(outcome: CommitOutcome): SentTo['outcome'] {
  if (outcome.kind === 'stored') return 'stored';
  if (outcome.kind === 'duplicate') return 'known';
  const isGone = outcome.kind === 'reject' && outcome.code === 'stream_not_found';
  assert(isGone, () => `a release is refused: ${JSON.stringify(outcome)}`);
  return 'gone';
}

/** Undefined when nothing is left of them: their target is gone, and was swept since they were planned. */
function appendOf(
  { shard, plan, nowMs }: Execution,
  { destination, indexes, recordedBefore }: Sending,
  messages: readonly LoadedTimer[],
): Append | undefined {
  const before = new Set(recordedBefore);
  const all = indexes.map((index, place) => ({ due: dueAt(messages, index), place }));
  const left = all.filter(({ due: { record } }) => record.length > 0);
  const last = left.at(-1);
  if (last === undefined) return undefined;
  return {
    stream: destination.name,
    ifStreamId: destination.id,
    batch: {
      count: left.length,
      records: joinBytes(left.map(({ due: { record } }) => record)),
      bytes: left.reduce((sum, { due: { bytes } }) => sum + bytes, 0),
      jsonChecked: left.every(({ due: { jsonChecked } }) => jsonChecked),
    },
    // Whoever wrote the plan may have a clock that is ahead: never early, by what is stored either (SPEC L11).
    timeMs: Math.max(nowMs, dueMsOf(last.due.id)),
    publisher: { name: releasePublisher(shard), ids: left.map(() => plan.seq) },
    recordedBefore: left.flatMap(({ place }, index) => (before.has(place) ? [index] : [])),
  };
}

function dueAt(messages: readonly LoadedTimer[], index: number): DueMessage {
  const message = messages[index];
  assert(message !== undefined, () => `a plan names message ${index} of ${messages.length}`);
  return message.due;
}

/** When all was committed before, by somebody who ended there, nobody knows which streams were gone. */
function releasedBy(plan: OpenPlan, sent: readonly SentTo[] | undefined): Released {
  const { ids, sendings, dropped } = plan;
  const first = ids[0];
  assert(first !== undefined, 'a plan of nothing');
  const told = { messages: ids.length, oldestDueMs: dueMsOf(first) };
  if (sent === undefined) {
    const stored = sendings.map(({ destination: { id } }) => id);
    return { ...told, dropped, stored };
  }
  const all = new Set(sent.flatMap(({ sending }) => sending.indexes));
  const there = sent.filter(({ outcome }) => outcome !== 'gone');
  const reached = new Set(there.flatMap(({ sending }) => sending.indexes));
  const stored: readonly StreamId[] = there.map(({ sending: { destination } }) => destination.id);
  return {
    ...told,
    dropped: { ...dropped, target_deleted: dropped.target_deleted + all.size - reached.size },
    stored,
  };
}
