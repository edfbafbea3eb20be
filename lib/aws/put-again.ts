/** Whether an object that was put for an earlier try of a commit can be used by a later one (PROTOCOL R1). */
import { compareBytes, isSameUlid, type Ulid } from '../format/ulid.ts';
import type { CommitPlan } from './commit-plan.ts';
import type { KnownStream } from './known-stream.ts';

export function isUsable(ulid: Ulid, { horizon, cancelled }: KnownStream['tail']): boolean {
  return compareBytes(horizon, ulid) < 0 && !cancelled.some((fenced) => isSameUlid(fenced, ulid));
}

export function isSameContent(a: CommitPlan, b: CommitPlan): boolean {
  return (
    a.parts.length === b.parts.length &&
    a.parts.every(({ index, outcome }, at) => {
      const other = b.parts[at];
      return (
        other?.index === index &&
        other.outcome.duplicates === outcome.duplicates &&
        `${other.outcome.byValue}` === `${outcome.byValue}` &&
        other.outcome.streamId === outcome.streamId
      );
    })
  );
}
