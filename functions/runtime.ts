/** The globals that the runtime of Lambda gives a function: nothing, outside of it. */
import type { HttpEvent } from '../lib/http/lambda/http-event.ts';
import type { LambdaContext } from '../lib/http/lambda/lambda-app.ts';
import type { AnswerHead, AnswerStream } from '../lib/http/lambda/streamed-answer.ts';

/** Of a function that answers by a stream. */
export type StreamHandler = (
  event: HttpEvent,
  stream: AnswerStream,
  context: RuntimeContext,
) => Promise<void>;

export interface RuntimeContext extends LambdaContext {
  /** True holds the next request back until every connection that is kept open is closed. */
  callbackWaitsForEmptyEventLoop: boolean;
}

export interface StreamingRuntime {
  streamifyResponse(handler: StreamHandler): StreamHandler;
  readonly HttpResponseStream: { from(stream: AnswerStream, head: AnswerHead): AnswerStream };
}

declare global {
  var awslambda: Partial<StreamingRuntime> | undefined;
}

/** Undefined where a function can only answer as a whole. The AWS SDK makes the global for notes of its own. */
export function streamingRuntime(): StreamingRuntime | undefined {
  const { streamifyResponse, HttpResponseStream } = globalThis.awslambda ?? {};
  if (streamifyResponse === undefined || HttpResponseStream === undefined) return undefined;
  return { streamifyResponse, HttpResponseStream };
}
