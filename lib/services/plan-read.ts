/**
 * Plans a read past the service: which stored objects hold the messages from a position on, and a URL for
 * each (SPEC LR7). The reader decodes them itself.
 */
import type { Offset } from '../core/log/ids.ts';
import type { Gap } from '../core/log/position.ts';
import type { DirectObject } from '../ports/direct-reads.ts';
import type { Components } from './components.ts';
import { loadStream } from './load-stream.ts';
import type { LocatedStart } from './locate-start.ts';
import { LogError } from './log-error.ts';
import type { OffsetRequest } from './resolve-offset.ts';
import { startReader } from './start-reader.ts';

/** Less than the hour for which the objects of dropped messages are kept. */
export const URL_SECONDS = 900;

export interface ReadPlan {
  readonly streamId: string;
  readonly resolved: LocatedStart['resolved'];
  readonly gap?: Gap;
  readonly clamped?: true;
  readonly first: Offset;
  readonly tail: Offset;
  /** Where the next plan goes on. */
  readonly next: Offset;
  readonly objects: readonly DirectObject[];
  readonly expiresMs: number;
}

export async function planRead(
  components: Components,
  request: OffsetRequest & { readonly bytesMax: number },
): Promise<ReadPlan> {
  const { directReads, clock } = components;
  if (directReads === undefined) throw notSupported();

  const loaded = await loadStream(components, request.stream, request.ifStreamId);
  const { state, start } = await startReader(components, loaded, request);
  const { streamId, first, next: tail } = state;
  const expiresMs = clock.nowMs() + URL_SECONDS * 1_000;
  const range = { streamId, from: start.offset, end: tail, bytesMax: request.bytesMax };
  const objects = start.offset < tail ? await directReads.plan(range, URL_SECONDS) : [];
  return {
    streamId,
    resolved: start.resolved,
    ...(start.gap && { gap: start.gap }),
    ...(start.clamped && { clamped: true }),
    first,
    tail,
    next: objects.at(-1)?.end ?? start.offset,
    objects,
    expiresMs,
  };
}

function notSupported(): LogError {
  return new LogError('objects of this store cannot be read past the service: read its messages', {
    code: 'not_supported',
  });
}
