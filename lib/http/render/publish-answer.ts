/** The members of a publish's answer (api, "Publish and read answers"). */
import type { PublishAnswer } from '../../services/publish-messages.ts';

export function publishMembers(answer: PublishAnswer) {
  const { start, end, tail, timestampMs, stored, duplicates, byValue, streamId } = answer;
  return {
    start,
    end,
    tail,
    stored,
    duplicates,
    ...(byValue.length > 0 && { deduplicated: byValue }),
    timestamp: timestampMs,
    held: [],
    stream_id: streamId,
  };
}
