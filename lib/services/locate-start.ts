/** Finds where a reader starts on a stream as it stands now (SPEC O1-O9, O11, O15); what is stored for a consumer is start-reader's. */
import { type Offset, offset } from '../core/log/ids.ts';
import {
  type Gap,
  type Position,
  type ResolvablePosition,
  resolvePosition,
  type Start,
} from '../core/log/position.ts';
import { describePosition } from '../core/log/position-syntax.ts';
import type { StreamState } from '../core/log/stream-state.ts';
import type { Components } from './components.ts';
import { LogError } from './log-error.ts';

export interface StartRequest {
  readonly position: Position;
  /** The position as the client wrote it; absent when it left it out. */
  readonly from?: string;
  readonly onGap: 'continue' | 'error';
  readonly onFuture: 'clamp' | 'error';
}

export interface LocatedStart extends Start {
  readonly resolved: { readonly from: string; readonly offset: Offset; readonly why: string };
}

export async function locateStart(
  components: Components,
  state: StreamState,
  request: StartRequest,
): Promise<LocatedStart> {
  const position = await resolvable(components, state, request.position);
  const start = resolvePosition(position, state);
  if (start.gap !== undefined && request.onGap === 'error') throw offsetTrimmed(start.gap);
  if (start.clamped && request.onFuture === 'error') throw pastTail(request.position, state);

  const why = request.from === undefined ? 'the default' : describePosition(request.position);
  return { ...start, resolved: { from: request.from ?? 'first', offset: start.offset, why } };
}

async function resolvable(
  { log, clock }: Components,
  state: StreamState,
  position: Position,
): Promise<ResolvablePosition> {
  switch (position.kind) {
    case 'time':
    case 'ago': {
      const timeMs = position.kind === 'time' ? position.ms : clock.nowMs() - position.ms;
      const { streamId, first, next } = state;
      return { kind: 'at', offset: await log.findTime({ streamId, first, next, timeMs }) };
    }
    case 'stored':
      throw new LogError('"stored" needs a consumer whose offset is stored', {
        code: 'invalid_offset',
        details: { field: 'from' },
      });
    default:
      return position;
  }
}

export function offsetTrimmed(gap: Gap): LogError {
  return new LogError(
    `offset ${gap.requested} is no longer retained: the first one available is ${gap.firstAvailable}`,
    {
      code: 'offset_trimmed',
      details: { first_available: gap.firstAvailable, missing: gap.missing },
    },
  );
}

function pastTail(position: Position, { next }: StreamState): LogError {
  const asked = position.kind === 'offset' ? offset(position.offset) : next;
  return new LogError(`offset ${asked} has not been published yet: the next one is ${next}`, {
    code: 'offset_past_tail',
    details: { next },
  });
}
