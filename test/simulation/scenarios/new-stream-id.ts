/** An id for a stream that a publish may create. */
import { type StreamId, streamId } from '../../../lib/core/log/ids.ts';
import type { Stage } from './stage.ts';

export function newStreamId({ chance }: Stage): StreamId {
  return streamId(chance.hex128());
}
