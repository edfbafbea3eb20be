/** The members of a publish's answer (api, "Publish and read answers"). */
import type { PublishAnswer } from '../../services/publish-messages.ts';

export function publishMembers(answer: PublishAnswer) {
  const { start, end, tail, timestampMs, stored, duplicates, streamId } = answer;
  return {
    start,
    end,
    tail,
    stored,
    duplicates,
    timestamp: timestampMs,
    held: [],
    stream_id: streamId,
  };
}
