/**
 * A commit that stores nothing: of named publishers whose messages are all known by their values, whose ids count
 * as heard (SPEC P11). One update, without an object; what it says can be said again, so a lost answer needs no look.
 */

import { bytesValue, numberValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import {
  type CommitWrite,
  type Draft,
  finish,
  require,
  requireToken,
  storePublishers,
} from './commit-update.ts';
import type { KnownStream } from './known-stream.ts';
import type { PlannedCommit } from './send-commit.ts';
import type { TransactionStep, UpdateRequest } from './table.ts';
import { streamIdValue } from './tail-item.ts';
import { tidyTail } from './tail-upkeep.ts';

export type Heard =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly stream: KnownStream | undefined };

export async function hearPublishers(
  context: AwsContext,
  { stream: before, plan, side }: Omit<PlannedCommit, 'ulid' | 'items'>,
): Promise<Heard> {
  const update = hearUpdate({ stream: before, plan, sideVersion: side.version });
  const result = await context.table.update(update, 'once');
  const stream = await context.streams.adopt(before.name, result.item);
  if (result.kind === 'refused') return { kind: 'again', stream };
  if (stream !== undefined) await tidyTail(context, stream);
  return { kind: 'done' };
}

/**
 * The part of the stream in a transaction that only holds messages: what the plan assumed, under an id by which the
 * whole can be kept from landing late; written only where something changes.
 */
export function heldStep(write: CommitWrite): TransactionStep {
  const { ulid, ...heard } = write;
  const draft = hearDraft(heard);
  require(draft, '#h < :ulid AND NOT contains(#c, :ulid)', { ':ulid': bytesValue(ulid) });
  const { key, condition, names, values, update } = finish(draft, write);
  return draft.set.length === 0
    ? { kind: 'check', key, condition, names, values }
    : { kind: 'update', key, update, condition, names, values };
}

function hearUpdate(write: Omit<CommitWrite, 'ulid'>): UpdateRequest {
  return finish(hearDraft(write), write);
}

function hearDraft(write: Omit<CommitWrite, 'ulid'>): Draft {
  const { stream, plan } = write;
  const { streamId, epoch, next } = stream.tail;
  const draft: Draft = { set: [], conditions: [], names: {}, values: {} };
  require(draft, '#i = :id', { ':id': streamIdValue(streamId) });
  require(draft, '#e = :epoch', { ':epoch': numberValue(epoch) });
  if (plan.needsNext) require(draft, '#n[0] = :next', { ':next': numberValue(next) });
  requireToken(draft, plan);
  storePublishers(draft, write);
  return draft;
}
