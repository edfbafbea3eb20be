/**
 * The application behind Lambda: one request at a time, answered as a stream where the front takes one
 * (a Function URL), else as a whole (an HTTP API, SPEC LR4). Time is paid for, so waiting and following
 * end early, and before the runtime would cut them off.
 */
import { type App, createApp } from '../app.ts';
import { brokenAnswer } from '../broken-answer.ts';
import type { Front } from '../front.ts';
import type { HttpOptions } from '../route.ts';
import { BUFFERED_BODY_BYTES_MAX, type BufferedAnswer, bufferAnswer } from './buffered-answer.ts';
import { type EventRequest, type HttpEvent, requestOf } from './http-event.ts';
import { type AnswerHead, type AnswerStream, streamAnswer } from './streamed-answer.ts';

export interface LambdaContext {
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

export interface LambdaLimits {
  readonly waitMsMax: number;
  readonly followMsMax: number;
}

export interface LambdaApp {
  buffer(event: HttpEvent, context: LambdaContext): Promise<BufferedAnswer>;
  /** `begin` sends the head on its way. */
  stream(event: HttpEvent, context: LambdaContext, output: StreamOutput): Promise<void>;
}

export interface StreamOutput {
  readonly stream: AnswerStream;
  begin(head: AnswerHead): AnswerStream;
}

/** For the last message of a body, and for a reader that takes it slowly. */
const RESERVED_MS = 1_500;
/** A reader that takes nothing is cut off before the runtime ends the whole instance for it. */
const CUT_MS = 500;

export function createLambdaApp(http: HttpOptions, limits: LambdaLimits): LambdaApp {
  const app = createApp(http);
  const front = (event: HttpEvent, context: LambdaContext): Front => {
    const leftMs = Math.max(context.getRemainingTimeInMillis() - RESERVED_MS, 0);
    return {
      vouches: event.requestContext.authorizer?.iam !== undefined,
      waitMsMax: Math.min(limits.waitMsMax, leftMs),
      followMsMax: Math.min(limits.followMsMax, leftMs),
    };
  };
  return {
    async buffer(event, context) {
      const asked = {
        event,
        requestId: context.awsRequestId,
        signal: new AbortController().signal,
      };
      const whole = { ...front(event, context), answerBytesMax: BUFFERED_BODY_BYTES_MAX };
      return await bufferAnswer(await answerEvent({ app, http }, asked, whole));
    },
    async stream(event, context, { stream, begin }) {
      const gone = new AbortController();
      for (const end of ['close', 'error'] as const) stream.on(end, () => gone.abort());
      const cutMs = Math.max(context.getRemainingTimeInMillis() - CUT_MS, 0);
      const cancel = http.components.clock.alarm(cutMs, () => stream.destroy());
      try {
        const asked = { event, requestId: context.awsRequestId, signal: gone.signal };
        const answer = await answerEvent({ app, http }, asked, front(event, context));
        await streamAnswer(answer, begin);
      } finally {
        cancel();
      }
    },
  };
}

interface Asked {
  readonly event: HttpEvent;
  readonly requestId: string;
  readonly signal: AbortSignal;
}

async function answerEvent(
  { app, http }: { readonly app: App; readonly http: HttpOptions },
  { event, requestId, signal }: Asked,
  front: Front,
): Promise<Response> {
  let asked: EventRequest;
  try {
    asked = requestOf(event, { requestId, signal });
  } catch {
    return brokenAnswer('400 Bad Request', http);
  }
  return await app.fetch(asked.request, asked.target, front);
}
