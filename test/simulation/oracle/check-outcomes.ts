/** What publishers are told: it must be what was stored, and what is refused must never be. */
import type { CommitOutcome } from '../../../lib/core/log/commit-batch.ts';
import type { LogStore } from '../../../lib/ports/log-store.ts';
import { StoreError } from '../../../lib/ports/store-error.ts';
import { checkDuplicateValues } from './check-values.ts';
import type { Oracle, Request } from './oracle.ts';
import type { CheckedAppend, PublishCall } from './publish-call.ts';
import { demand, Violation } from './violation.ts';

type Outcome<Kind extends CommitOutcome['kind']> = Extract<CommitOutcome, { kind: Kind }>;

export async function publish(
  oracle: Oracle,
  log: LogStore,
  requests: readonly Request[],
): Promise<readonly CommitOutcome[]> {
  const call = oracle.begin(requests);
  const outcomes = await commit(log, call);
  demand(outcomes.length === call.appends.length, 'WRONG_ANSWER', () => `${outcomes.length}`);
  for (const [index, checked] of call.appends.entries()) {
    const outcome = outcomes[index];
    if (outcome !== undefined) checkOutcome(oracle, { call, checked, outcome, outcomes });
  }
  return outcomes;
}

async function commit(log: LogStore, { number, appends }: PublishCall) {
  try {
    return await log.commit(appends.map(({ append }) => append));
  } catch (error) {
    const isNone = error instanceof StoreError && error.sideEffects === 'none';
    for (const checked of appends) {
      checked.fate = isNone ? 'none' : 'possible';
      const isWrong = isNone && checked.placed !== undefined;
      demand(!isWrong, 'SAID_NONE_BUT_STORED', () => `call ${number}: ${error}`);
    }
    throw error;
  }
}

interface Answered {
  readonly call: PublishCall;
  readonly checked: CheckedAppend;
  readonly outcome: CommitOutcome;
  readonly outcomes: readonly CommitOutcome[];
}

function checkOutcome(oracle: Oracle, answered: Answered): void {
  const { outcome, checked } = answered;
  switch (outcome.kind) {
    case 'stored':
      checked.fate = 'stored';
      checkStored(answered, outcome);
      break;
    case 'held':
      checked.fate = 'stored';
      checkHeld(checked);
      break;
    case 'duplicate':
      checked.fate = 'duplicate';
      checkDuplicate(oracle, answered, outcome);
      break;
    case 'reject':
      checked.fate = 'refused';
      checkRefused(oracle, answered, outcome);
      break;
  }
}

function checkStored({ call, checked }: Answered, outcome: Outcome<'stored'>): void {
  const { placed } = checked;
  const what = () => `call ${call.number}: ${JSON.stringify(outcome)}`;
  if (placed === undefined) throw new Violation('ACKNOWLEDGED_BUT_NOT_STORED', what());

  const { start, end, timeMs, duplicates, streamId } = outcome;
  const { incarnation } = placed;
  demand(streamId === incarnation.streamId, 'WRONG_INCARNATION', what);
  demand(start === placed.base && end === placed.end, 'ACKNOWLEDGED_ELSEWHERE', what);
  demand(timeMs === placed.timeMs, 'WRONG_TIME', () => `${what()}, not ${placed.timeMs}`);
  demand(duplicates === placed.skipped, 'WRONG_ANSWER', what);
  incarnation.acknowledgedNext = Math.max(incarnation.acknowledgedNext, end);
  checkHeld(checked);
}

function checkHeld({ held }: CheckedAppend): void {
  const isAll = held?.all.every(({ isAccepted }) => isAccepted) ?? true;
  demand(isAll, 'ACKNOWLEDGED_BUT_NOT_HELD', () => `${held?.all.map(({ delay }) => delay.id)}`);
}

function checkDuplicate(oracle: Oracle, answered: Answered, outcome: Outcome<'duplicate'>): void {
  const { call, checked } = answered;
  const { publisher } = checked.append;
  checkDuplicateValues(oracle.stored.incarnation(outcome.streamId), checked.append, outcome);
  if (checked.hasRival || outcome.byValue !== undefined) return;
  if (checked.held !== undefined) {
    const isAny = oracle.held.isAcceptedOf(checked.append);
    demand(isAny, 'DUPLICATE_OF_NOTHING', () => JSON.stringify(publisher));
    return;
  }
  const what = () => `call ${call.number} of ${publisher?.name}: ${JSON.stringify(outcome)}`;
  const { log } = oracle.stored.incarnation(outcome.streamId);
  const offsets = publisher?.ids.map((id) => log.publisher(publisher.name).offsets.get(id)) ?? [];
  const isStored = offsets.length > 0 && !offsets.includes(undefined);
  demand(isStored || isStoredBefore(oracle, checked) === true, 'DUPLICATE_OF_NOTHING', what);
  demand(outcome.duplicates === publisher?.ids.length, 'WRONG_ANSWER', what);
  demand(outcome.next <= log.next, 'WRONG_ANSWER', what);
  const { range } = outcome;
  if (range === undefined) return;
  const wanted = offsets.filter((offset) => offset !== undefined && offset >= range.start);
  const found = Array.from({ length: range.end - range.start }, (_, at) => range.start + at);
  demand(wanted.join() === found.join(), 'DUPLICATE_ELSEWHERE', what);
}

/** In an earlier incarnation: a request that nobody waits for any more meets higher ids in the next one. */
function isStoredBefore({ stored }: Oracle, { append: { stream, publisher } }: CheckedAppend) {
  const all = [...stored.incarnations.values()].filter(({ name }) => name === stream);
  return publisher?.ids.every((id) =>
    all.some(({ log }) => log.publisher(publisher.name).offsets.has(id)),
  );
}

function checkRefused(oracle: Oracle, answered: Answered, outcome: Outcome<'reject'>): void {
  const { call, checked, outcomes } = answered;
  const { append, placed } = checked;
  const what = () => `call ${call.number}: ${JSON.stringify(outcome)}`;
  demand(placed === undefined, 'REFUSED_BUT_STORED', what);
  if (outcome.code === 'record_changed') {
    demand(append.records !== undefined, 'REFUSED_FOR_NOTHING', what);
    return;
  }
  const tails = oracle.tailsSince(append.stream, call.begunAt);
  const wasRight = tails.some((tail) => {
    const isOther = append.ifStreamId !== undefined && append.ifStreamId !== tail?.streamId;
    if (outcome.code === 'stream_not_found') return tail === undefined || isOther;
    if (tail === undefined) return append.createAs !== undefined;
    if (outcome.code === 'fenced') return tail.fencingToken !== append.fencingToken;
    if (outcome.code === 'offset_mismatch') {
      const inBatch = outcomes.some(
        (other) => other.kind === 'stored' && other.end === outcome.next,
      );
      return inBatch || (tail.next === outcome.next && outcome.next !== append.expectedOffset);
    }
    const { name, epoch = -1 } = append.publisher ?? {};
    const { log } = oracle.stored.incarnation(tail.streamId);
    return name !== undefined && epoch < (log.publisher(name).epoch ?? -1);
  });
  demand(wasRight, 'REFUSED_FOR_NOTHING', what);
}
