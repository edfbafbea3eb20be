/** The members of a publish's answer (api, "Publish and read answers"). */
import { dueMsOf } from '../../core/timer/held-id.ts';
import type { HeldAnswer, PublishAnswer } from '../../services/publish-messages.ts';

/** What is held, by its place in the request. */
export function heldMembers(held: readonly HeldAnswer[]) {
  return held.map(({ index, id }) => ({ index, id, due: dueMsOf(id) }));
}

export function publishMembers(answer: PublishAnswer) {
  const { start, end, tail, timestampMs, stored, duplicates, byValue, held, streamId } = answer;
  return {
    start,
    end,
    tail,
    stored,
    duplicates,
    ...(byValue.length > 0 && { deduplicated: byValue }),
    timestamp: timestampMs,
    held: heldMembers(held),
    stream_id: streamId,
  };
}
