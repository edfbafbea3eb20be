/** Drops messages by hand: everything before an offset, or everything (SPEC T11, T12). */
import { type Offset, offset, type StreamName } from '../core/log/ids.ts';
import type { TrimOutcome } from '../ports/log-store.ts';
import type { Components } from './components.ts';
import { loadStream } from './load-stream.ts';
import { invalid, streamNotFound } from './log-error.ts';

type Trimmed = Extract<TrimOutcome, { kind: 'trimmed' }>;

export async function trimStream(
  components: Components,
  stream: StreamName,
  before: number,
): Promise<{ readonly first: Offset }> {
  const { first } = await trim(components, stream, offset(before));
  return { first };
}

export async function purgeStream(
  components: Components,
  stream: StreamName,
): Promise<{ readonly purged: number }> {
  const { dropped } = await trim(components, stream, 'next');
  return { purged: dropped };
}

async function trim(
  components: Components,
  stream: StreamName,
  before: Offset | 'next',
): Promise<Trimmed> {
  const { streamId } = await loadStream(components, stream);
  const outcome = await components.log.trim(streamId, before);
  if (outcome === undefined) throw streamNotFound(stream);
  if (outcome.kind === 'beyond') {
    throw invalid('before', `before is ${before}, but the stream ends at ${outcome.next}`);
  }
  // A follower that stands below the new first tells its reader of the gap now (SPEC O16).
  components.waker.wake(streamId);
  return outcome;
}
