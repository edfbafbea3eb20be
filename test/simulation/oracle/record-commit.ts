/**
 * Writes a commit down at the moment it took effect, and checks that it could: bytes that were published,
 * nothing twice, nothing that somebody was told is not stored, and every condition of its appends.
 */
import type { Tail } from '../../../lib/aws/tail-item.ts';
import { decodeChunkObject, type ObjectPart } from '../../../lib/format/chunk-object.ts';
import type { TailRef } from '../../../lib/format/tail-ref.ts';
import { formatUlid } from '../../../lib/format/ulid.ts';
import type { Append } from '../../../lib/ports/log-store.ts';
import { checkSegmentRule } from './check-segment-rule.ts';
import { recordValues } from './check-values.ts';
import type { Incarnation } from './incarnation.ts';
import { idText, type MessageId, messageIds } from './message-body.ts';
import { type CheckedAppend, isRefused, type PublishCall } from './publish-call.ts';
import type { StoredRecords } from './stored-records.ts';
import { demand, Violation } from './violation.ts';

export interface Commit {
  readonly incarnation: Incarnation;
  /** As it was before; undefined when the commit created the stream. */
  readonly before: Tail | undefined;
  readonly ref: TailRef;
}

export interface Publishers {
  readonly calls: readonly PublishCall[];
  readonly records: Pick<StoredRecords, 'claimed'>;
}

export function recordCommit(publishers: Publishers, commit: Commit): void {
  const { incarnation, ref } = commit;
  const { log } = incarnation;
  const parts = partsOf(commit);
  checkSegmentRule(commit, parts);
  const [base, timeBelowMs] = [log.next, log.timeMs];
  let lastChunk = base;
  for (const part of parts) {
    lastChunk = log.next;
    recordPart(publishers, commit, part);
  }
  const end = log.next;
  demand(end - base === ref.count, 'NOT_DENSE', () => `a ref of ${ref.count} for ${end - base}`);
  log.commits.push({ ...ref, base, end, timeBelowMs, lastTimeMs: log.timeMs, lastChunk });
}

function partsOf({ incarnation: { objects, streamId }, ref }: Commit): readonly ObjectPart[] {
  const name = formatUlid(ref.ulid);
  const bytes = objects.get(name);
  if (bytes === undefined) {
    throw new Violation('DATA_AFTER_METADATA', `a ref to ${name}, which ${streamId} does not have`);
  }
  return decodeChunkObject(bytes, name);
}

function recordPart(
  { calls, records }: Publishers,
  { incarnation, before }: Commit,
  part: ObjectPart,
): void {
  const { log } = incarnation;
  const ids = messageIds(part);
  const first = ids[0];
  const checked = first && calls[first.call]?.appends[first.append];
  if (first === undefined || checked === undefined) {
    throw new Violation('WRONG_BYTES', `nobody published ${first && idText(first)}`);
  }
  if (checked.held?.at(first.index) !== undefined) {
    recordRelease(calls, incarnation, { ...part, ids });
    return;
  }
  const isCut = recordValues({ incarnation, before }, checked.append, ids);
  if (!isCut) checkWhole(ids, checked);
  checkFate(checked, first);
  checkConditions(checked.append, { incarnation, before });
  const [base, timeMs] = [log.next, Math.max(log.timeMs, part.timeMs)];
  recordPublisher(incarnation, checked.append, checked.held === undefined ? first.index : 0);
  for (const claim of checked.append.records ?? []) {
    records.claimed({ streamId: incarnation.streamId, claim });
  }
  for (const id of ids) log.messages.push({ ...id, offset: log.next, chunk: base, timeMs });
  const skipped = checked.append.batch.count - ids.length - (checked.held?.all.length ?? 0);
  checked.placed = { incarnation, base, end: log.next, skipped, timeMs };
}

/** Once each, to where the plan says, and never before its time. */
function recordRelease(
  calls: readonly PublishCall[],
  incarnation: Incarnation,
  part: ObjectPart & { readonly ids: readonly MessageId[] },
): void {
  const { log } = incarnation;
  const timeMs = Math.max(log.timeMs, part.timeMs);
  const chunk = log.next;
  let before = '';
  for (const id of part.ids) {
    const message = calls[id.call]?.appends[id.append]?.held?.at(id.index);
    if (message === undefined) throw new Violation('RELEASED_UNHELD', idText(id));
    message.releasedTo(incarnation.streamId, part.timeMs);
    demand(before < message.delay.id, 'RELEASED_OUT_OF_ORDER', () => idText(id));
    before = message.delay.id;
    log.messages.push({ ...id, offset: log.next, chunk, timeMs });
  }
}

function checkWhole(ids: readonly MessageId[], { append, held }: CheckedAppend): void {
  const first = ids[0]?.index ?? 0;
  const places = Array.from({ length: append.batch.count }, (_, index) => index);
  const wanted = places.filter((index) => index >= first && held?.at(index) === undefined);
  const isWhole = wanted.join() === ids.map(({ index }) => index).join();
  demand(isWhole, 'NOT_ATOMIC', () => ids.map(idText).join());
  const isFromStart = first === 0 || held !== undefined;
  demand(isFromStart || append.publisher !== undefined, 'NOT_ATOMIC', () => ids.map(idText).join());
}

function checkFate({ placed, fate, append }: CheckedAppend, first: MessageId): void {
  demand(placed === undefined, 'PUBLISHED_TWICE', () => idText(first));
  const invariant = fate === 'none' ? 'SAID_NONE_BUT_STORED' : 'REFUSED_BUT_STORED';
  demand(!isRefused(fate), invariant, () => `${idText(first)} of ${append.stream}`);
}

function checkConditions(
  { stream, ifStreamId, expectedOffset, fencingToken }: Append,
  { incarnation, before }: Omit<Commit, 'ref'>,
): void {
  demand(stream === incarnation.name, 'WRONG_STREAM', () => `${stream} in ${incarnation.name}`);
  const isMeant = ifStreamId === undefined || ifStreamId === incarnation.streamId;
  demand(isMeant, 'OTHER_INCARNATION', () => `${ifStreamId} in ${incarnation.streamId}`);
  const { next } = incarnation.log;
  demand(
    expectedOffset === undefined || expectedOffset === next,
    'EXPECTED_OFFSET',
    () => `stored at ${next}, expected at ${expectedOffset}`,
  );
  demand(
    fencingToken === undefined || fencingToken === before?.fencingToken,
    'FENCED_BUT_STORED',
    () => `stored under token ${fencingToken} while it was ${before?.fencingToken}`,
  );
}

function recordPublisher({ log }: Incarnation, { publisher }: Append, skipped: number): void {
  if (publisher === undefined) return;
  const known = log.publisher(publisher.name);
  const { highestId } = known;
  const what = () => `${publisher.name} ${publisher.ids} from ${skipped}, highest ${highestId}`;
  demand(
    publisher.ids.every((id, index) => id > highestId === index >= skipped),
    'ID_STORED_TWICE',
    what,
  );
  const isFenced = known.epoch !== undefined && (publisher.epoch ?? -1) < known.epoch;
  demand(!isFenced, 'EPOCH_FENCED_BUT_STORED', what);
  for (const [at, id] of publisher.ids.slice(skipped).entries()) {
    known.offsets.set(id, log.next + at);
    known.highestId = id;
  }
  known.epoch = publisher.epoch ?? known.epoch;
}
