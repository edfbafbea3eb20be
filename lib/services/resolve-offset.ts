/** Resolves a position without reading (SPEC O1-O10, api `offsets`). */
import type { Components } from './components.ts';
import { loadStream } from './load-stream.ts';
import { type ReaderRequest, startReader } from './start-reader.ts';

export interface OffsetRequest extends ReaderRequest {
  readonly ifStreamId?: string;
}

export async function resolveOffset(components: Components, request: OffsetRequest) {
  const loaded = await loadStream(components, request.stream, request.ifStreamId);
  const { state, start } = await startReader(components, loaded, request);
  const { resolved, gap, clamped } = start;
  const { first, next, streamId } = state;
  return {
    resolved,
    ...(gap && { gap }),
    ...(clamped && { clamped }),
    first,
    next,
    streamId,
  };
}
