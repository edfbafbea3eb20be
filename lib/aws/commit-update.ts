/**
 * The update by which a commit takes effect (PROTOCOL R1): one item, one condition that holds exactly what
 * the plan assumed. All right-hand sides see the item before the update.
 */
import { assert } from '../core/assert.ts';
import type { PublisherName } from '../core/log/ids.ts';
import { effectiveSettings } from '../core/log/settings.ts';
import type { TailRef } from '../format/tail-ref.ts';
import { encodeTailRef } from '../format/tail-ref.ts';
import type { Ulid } from '../format/ulid.ts';
import { bytesValue, listValue, numberValue, textValue } from './attribute.ts';
import type { CommitPlan } from './commit-plan.ts';
import type { KnownStream } from './known-stream.ts';
import { encodePublisherClaim, epochValue } from './publisher-entry.ts';
import type { Attribute, UpdateRequest } from './table.ts';
import { publisherHash, tailKey } from './table-key.ts';
import { streamIdValue } from './tail-item.ts';
import { valueUpdate } from './value-update.ts';

/** Whoever sees 16 spills them; so many are there only when nobody could. */
export const REFS_MAX = 64;

/** An update that is being written: what it sets, under which conditions. */
export interface Draft {
  readonly set: string[];
  readonly conditions: string[];
  readonly names: { [alias: string]: string };
  readonly values: { [placeholder: string]: Attribute };
}

export interface CommitWrite {
  readonly stream: KnownStream;
  readonly plan: CommitPlan;
  readonly ulid: Ulid;
  /** Version of the side item that was read for publishers that are not in the tail. */
  readonly sideVersion: number;
}

export function commitUpdate(write: CommitWrite): UpdateRequest {
  const { stream, plan, ulid } = write;
  const draft = appendRef(refOf(plan, ulid), write);
  if (plan.opensSegment) openSegment(draft, write);
  else requireRoom(draft, write);
  if (plan.needsNext) require(draft, '#n[0] = :next', { ':next': numberValue(stream.tail.next) });
  requireToken(draft, plan);
  storePublishers(draft, write);
  return finish(draft, write);
}

/** What is left to be said of a commit's values makes it whole. */
export function finish(draft: Draft, { stream, plan }: Pick<CommitWrite, 'stream' | 'plan'>) {
  const { set, remove, conditions, values } = valueUpdate(stream, plan);
  draft.set.push(...set);
  draft.conditions.push(...conditions);
  Object.assign(draft.values, values);
  return {
    key: tailKey(stream.name),
    update: [`SET ${draft.set.join(', ')}`, ...remove.map((path) => `REMOVE ${path}`)].join(' '),
    condition: draft.conditions.join(' AND '),
    names: draft.names,
    values: draft.values,
  };
}

/** What the tail will know of the plan's object. */
export function refOf({ parts, opensSegment }: CommitPlan, ulid: Ulid): TailRef {
  return {
    ulid,
    count: parts.reduce((sum, { part }) => sum + part.count, 0),
    bytes: parts.reduce((sum, { part }) => sum + part.bytes, 0),
    timeMs: parts.at(-1)?.part.timeMs ?? 0,
    opensSegment,
  };
}

/** Messages of the commit before its last request (SPEC O2). */
export function beforeLast({ parts }: CommitPlan): number {
  return parts.slice(0, -1).reduce((sum, { part }) => sum + part.count, 0);
}

function appendRef(ref: TailRef, { stream: { tail }, plan, ulid }: CommitWrite): Draft {
  assert(ref.count > 0, 'a commit without messages');
  return {
    set: [
      '#l = #n[0] + :last',
      '#n[0] = #n[0] + :count',
      '#r = list_append(#r, :ref)',
      '#y = #y + :bytes',
    ],
    conditions: [
      '#i = :id',
      '#e = :epoch',
      '#h < :ulid',
      'NOT contains(#c, :ulid)',
      'size(#r) < :refsMax',
    ],
    names: {},
    values: {
      ':id': streamIdValue(tail.streamId),
      ':epoch': numberValue(tail.epoch),
      ':ulid': bytesValue(ulid),
      ':refsMax': numberValue(REFS_MAX),
      ':last': numberValue(beforeLast(plan)),
      ':count': numberValue(ref.count),
      ':bytes': numberValue(ref.bytes),
      ':ref': listValue(bytesValue(encodeTailRef(ref))),
    },
  };
}

/**
 * Two commits that both find the segment full must not open one each. The segment that ends is work for a
 * maintainer, who must not have ended by now with what was left for it (PROTOCOL R14).
 */
function openSegment(draft: Draft, { stream: { tail }, plan }: CommitWrite): void {
  draft.set.push('#g[0] = #n[0] + :one', '#g[1] = #y', '#g[2] = :opened');
  require(draft, '#g[0] = :segment', {
    ':one': numberValue(1),
    ':opened': numberValue(plan.parts[0]?.outcome.timeMs ?? 0),
    ':segment': numberValue(tail.segment === undefined ? 0 : tail.segment.first + 1),
  });
  if (tail.segment === undefined) return;
  draft.set.push('#w = #w + :one');
  require(draft, '#w = :work', { ':work': numberValue(tail.workVersion) });
}

/** Others may have filled it meanwhile: then this commit is to open the next (SPEC T6). */
function requireRoom(draft: Draft, { stream: { tail, settings }, plan: { parts } }: CommitWrite) {
  const { segment_max_bytes: bytesMax } = effectiveSettings(settings);
  const before = parts.slice(0, -1).reduce((sum, { part }) => sum + part.bytes, 0);
  const fullAt = (tail.segment?.bytesBefore ?? 0) + bytesMax - before;
  require(draft, '#y < :fullAt', { ':fullAt': numberValue(fullAt) });
}

export function requireToken(draft: Draft, { token }: CommitPlan): void {
  if (token !== undefined) require(draft, '#f = :token', { ':token': textValue(token) });
}

export function storePublishers(draft: Draft, write: Omit<CommitWrite, 'ulid'>): void {
  const { stream, plan, sideVersion } = write;
  const base = plan.parts[0]?.outcome.start ?? stream.tail.next;
  let needsSide = false;
  for (const [index, [name, record]] of [...plan.changed].entries()) {
    const entry = `#p.#q${index}`;
    const key = publisherHash(name);
    draft.names[`#q${index}`] = key;
    draft.set.push(`${entry} = list_append(#n, :q${index})`);
    draft.values[`:q${index}`] = listValue(...encodePublisherClaim(record, { base }));
    if (stream.tail.publishers.has(key)) requireNewIds(draft, plan, { name, index });
    else {
      require(draft, `attribute_not_exists(${entry})`, {});
      needsSide = true;
    }
  }
  if (needsSide) require(draft, '#v <= :side', { ':side': numberValue(sideVersion) });
}

/** Judged by the publisher's first request that is new: the others are behind it. */
function requireNewIds(
  draft: Draft,
  { heard }: CommitPlan,
  { name, index }: { readonly name: PublisherName; readonly index: number },
): void {
  const claim = heard.get(name);
  assert(claim !== undefined, 'a publisher that says nothing new');
  require(draft, `#p.#q${index}[1] < :first${index} AND #p.#q${index}[2] <= :epoch${index}`, {
    [`:first${index}`]: numberValue(claim.lowestId),
    [`:epoch${index}`]: epochValue(claim.epoch),
  });
}

export function require(draft: Draft, condition: string, values: Draft['values']): void {
  draft.conditions.push(condition);
  Object.assign(draft.values, values);
}
