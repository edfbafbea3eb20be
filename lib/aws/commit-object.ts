/**
 * What a commit puts before anything refers to it (PROTOCOL, invariant 1): the object of the chunks that it stores,
 * and that of large messages that it holds. Those of a try that was refused are used again.
 */
import { encodeChunkObject } from '../format/chunk-object.ts';
import { chunkObjectName } from '../format/object-key.ts';
import { compareBytes, isSameUlid, type Ulid } from '../format/ulid.ts';
import type { AwsContext } from './aws-context.ts';
import type { CommitPlan } from './commit-plan.ts';
import { putHeldObject } from './held-bodies.ts';
import type { KnownStream } from './known-stream.ts';
import { mintUlid } from './mint-ulid.ts';

/** An object that was put for an earlier try. */
export interface PutObject {
  readonly ulid: Ulid;
  readonly plan: CommitPlan;
}

export async function putCommitObject(
  context: AwsContext,
  { tail }: KnownStream,
  { plan, earlier }: { readonly plan: CommitPlan; readonly earlier: PutObject | undefined },
): Promise<PutObject> {
  if (earlier && isUsable(earlier.ulid, tail) && isSameContent(earlier.plan, plan)) return earlier;

  const { streamId } = tail;
  const ulid = mintUlid(context, tail.horizon);
  const { parts, timers } = plan;
  const puts = [putHeldObject(context, timers, { streamId, ulid })];
  if (parts.length > 0) {
    const bytes = encodeChunkObject(parts.map(({ part }) => part));
    puts.push(context.objects.put(chunkObjectName({ streamId, ulid }), bytes));
  }
  await Promise.all(puts);
  return { ulid, plan };
}

function isUsable(ulid: Ulid, { horizon, cancelled }: KnownStream['tail']): boolean {
  return compareBytes(horizon, ulid) < 0 && !cancelled.some((fenced) => isSameUlid(fenced, ulid));
}

function isSameContent(a: CommitPlan, b: CommitPlan): boolean {
  return contentOf(a) === contentOf(b);
}

/** Of which appends what is stored and held, in which incarnation: outcomes that say the same, do the same. */
function contentOf({ outcomes }: CommitPlan): string {
  return JSON.stringify(
    outcomes.map((outcome) => {
      if (outcome.kind !== 'stored' && outcome.kind !== 'held') return null;
      const { kind, duplicates, byValue, held, streamId } = outcome;
      return { kind, duplicates, byValue, held, streamId };
    }),
  );
}
