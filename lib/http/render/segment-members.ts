/** Segments as members of JSON. */
import type { SegmentEntry } from '../../ports/log-store.ts';
import type { RetentionExplanation } from '../../services/explain-retention.ts';

export function segmentMembers({ first, end, state, bytes, lastTimeMs, objects }: SegmentEntry) {
  return {
    first,
    end,
    state,
    messages: end - first,
    bytes: bytes ?? null,
    last_timestamp: lastTimeMs ?? null,
    objects: objects.map(({ name, start, end: behind, bytes: stored }) => {
      return { name, start, end: behind, bytes: stored };
    }),
  };
}

export function retentionMembers({ oldest, kept, why, expiresMs }: RetentionExplanation) {
  return {
    oldest: oldest && segmentMembers(oldest),
    kept,
    why,
    ...(expiresMs !== undefined && { expires_at: expiresMs }),
  };
}

export function holderMembers({ heldBy }: RetentionExplanation) {
  return heldBy.map(({ group, committed }) => ({ group, committed }));
}
