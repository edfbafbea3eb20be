/** Reads that go on: event streams, and lines with `follow=true` (SPEC LR3). */
import {
  type Following,
  type FollowRequest,
  followStream,
  type Progress,
} from '../../services/follow-stream.ts';
import { type LinkedAbort, linkAbort } from '../../services/linked-abort.ts';
import { invalid } from '../../services/log-error.ts';
import { describeProblem } from '../problem.ts';
import type { ReadFormat } from '../read-format.ts';
import { ByteWriter } from '../render/byte-writer.ts';
import { writeBodyLines, writeMessageLines } from '../render/chunk-lines.ts';
import { encodeDone, encodeErrorEvent, encodeEvent, parseEventId } from '../render/event-stream.ts';
import { liveAnswer } from '../render/live-body.ts';
import { factHeaders } from '../render/page-answer.ts';
import { faultFields, type RouteRequest } from '../route.ts';
import { type ReadParameters, untilBound } from '../schemas/read-parameters.ts';

interface FollowAnswerOptions {
  readonly start: Omit<FollowRequest, 'limit' | 'bytesMax' | 'untilMs' | 'resume'>;
  readonly format: ReadFormat;
  readonly parameters: ReadParameters;
}

export async function followAnswer(
  request: RouteRequest,
  { start, format, parameters }: FollowAnswerOptions,
): Promise<Response> {
  const resume = format === 'sse' ? resumption(request) : undefined;
  const following = await followStream(request.components, {
    ...start,
    ...untilBound(parameters.until),
    ...(parameters.limit !== undefined && { limit: parameters.limit }),
    ...(parameters.max_bytes !== undefined && { bytesMax: parameters.max_bytes }),
    ...(resume && { resume }),
  });
  const base64 = parameters.body === 'base64';
  return liveAnswer({
    headers: factHeaders(request, following.facts, { format }),
    closing: request.closing,
    turns: request.turns,
    start: (signal) =>
      format === 'sse'
        ? eventPieces(request, { following, base64 }, signal)
        : linePieces(request, { following, base64, bodiesOnly: format === 'text' }, signal),
  });
}

function resumption({ raw }: RouteRequest): Progress | undefined {
  const id = raw.headers.get('last-event-id');
  if (id === null) return undefined;
  const progress = parseEventId(id);
  if (progress !== undefined) return progress;
  throw invalid('Last-Event-ID', 'Last-Event-ID must be the three integers of an event id');
}

type Pieces = AsyncGenerator<Uint8Array<ArrayBuffer>, void, void>;

async function* eventPieces(
  request: RouteRequest,
  { following, base64 }: { readonly following: Following; readonly base64: boolean },
  signal: AbortSignal,
): Pieces {
  let progress = following.start;
  const life = followingLife(request, signal);
  try {
    for await (const event of following.events(life.signal)) {
      progress = event.progress;
      if (event.kind === 'advance') continue;
      if (event.kind === 'batch') request.metrics.read('sse', event.chunks);
      yield* encodeEvent(event, base64);
    }
  } catch (error) {
    yield encodeErrorEvent(progress, reportedProblem(error, request));
  } finally {
    life.end();
  }
  // A server that ends says nothing: its clients are to connect again.
  if (!signal.aborted) yield encodeDone(progress);
}

/** The status is sent already, so a failure is told inside the stream, and logged here. */
function reportedProblem(error: unknown, request: RouteRequest): object {
  const { requestId, raw, telemetry, metrics } = request;
  const instance = new URL(raw.url).pathname;
  const { code, isFault, members } = describeProblem(error, {
    id: requestId,
    instance,
    changes: false,
  });
  metrics.problem(code);
  if (isFault) telemetry.error('follow_failed', { ...faultFields(request), code, error });
  return members;
}

interface LineOptions {
  readonly following: Following;
  readonly base64: boolean;
  readonly bodiesOnly: boolean;
}

/** Lines have no place for a gap: they end before one, and the next request is told of it (SPEC O16). */
async function* linePieces(
  request: RouteRequest,
  { following, base64, bodiesOnly }: LineOptions,
  signal: AbortSignal,
): Pieces {
  let isFirst = true;
  const life = followingLife(request, signal);
  try {
    for await (const event of following.events(life.signal)) {
      if (event.kind === 'gap' && !isFirst) return;
      isFirst = false;
      if (event.kind !== 'batch') continue;

      request.metrics.read(bodiesOnly ? 'text' : 'ndjson', event.chunks);
      const writer = new ByteWriter();
      if (bodiesOnly) writeBodyLines(writer, event.chunks);
      else writeMessageLines(writer, event.chunks, { base64 });
      yield writer.finish();
    }
  } catch (error) {
    reportedProblem(error, request);
  } finally {
    life.end();
  }
}

/** For as long as its reader takes it, and its front gives it time to (SPEC LR3). */
function followingLife({ front, components }: RouteRequest, signal: AbortSignal): LinkedAbort {
  if (front === undefined) return { signal, end: () => undefined };
  const life = linkAbort(signal);
  const cancel = components.clock.alarm(front.followMsMax, life.end);
  return {
    signal: life.signal,
    end() {
      cancel();
      life.end();
    },
  };
}
