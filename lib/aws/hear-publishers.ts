/**
 * A commit that stores nothing: of named publishers whose messages are all known by their values, whose ids count
 * as heard (SPEC P11). One update, without an object; what it says can be said again, so a lost answer needs no look.
 */

import { numberValue } from './attribute.ts';
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
import type { UpdateRequest } from './table.ts';
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

function hearUpdate(write: Omit<CommitWrite, 'ulid'>): UpdateRequest {
  const { stream, plan } = write;
  const { streamId, epoch, next } = stream.tail;
  const draft: Draft = { set: [], conditions: [], names: {}, values: {} };
  require(draft, '#i = :id', { ':id': streamIdValue(streamId) });
  require(draft, '#e = :epoch', { ':epoch': numberValue(epoch) });
  if (plan.needsNext) require(draft, '#n[0] = :next', { ':next': numberValue(next) });
  requireToken(draft, plan);
  storePublishers(draft, write);
  return finish(draft, write);
}
