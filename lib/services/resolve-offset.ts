/** Resolves a position without reading (SPEC O1-O9, api `offsets`). */
import type { StreamName } from '../core/log/ids.ts';
import type { Components } from './components.ts';
import { loadStream } from './load-stream.ts';
import { locateStart, type StartRequest } from './locate-start.ts';

export interface OffsetRequest extends StartRequest {
  readonly stream: StreamName;
  readonly ifStreamId?: string;
}

export async function resolveOffset(components: Components, request: OffsetRequest) {
  const state = await loadStream(components, request.stream, request.ifStreamId);
  const { resolved, gap, clamped } = await locateStart(components, state, request);
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
