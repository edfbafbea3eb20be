/** The HTTP API: `handler` behind a Function URL, `buffered` behind an HTTP API, which takes no streams. */
import { createBodyBudget } from '../lib/http/body-budget.ts';
import { createCrossOrigin } from '../lib/http/cross-origin.ts';
import { createHttpMetrics } from '../lib/http/http-metrics.ts';
import type { HttpEvent } from '../lib/http/lambda/http-event.ts';
import { createLambdaApp } from '../lib/http/lambda/lambda-app.ts';
import { createAllTurns } from '../lib/http/turns.ts';
import { createUnsentAnswers } from '../lib/http/unsent-answers.ts';
import { VERSION } from '../lib/version.ts';
import { functionParts, onceAnInstance } from './components.ts';
import { type RuntimeContext, type StreamingRuntime, streamingRuntime } from './runtime.ts';

const api = onceAnInstance(async () => {
  const { settings, store, components, meter, telemetry } = await functionParts();
  const bodies = createBodyBudget();
  const metrics = createHttpMetrics(meter, bodies);
  const about = { version: VERSION, store: store.kind, startedMs: components.clock.nowMs() };
  const { insecure } = settings;
  const crossOrigin = createCrossOrigin([]);
  const closing = new AbortController().signal;
  const unsent = createUnsentAnswers();
  const turns = createAllTurns();
  const service = { components, telemetry, bodies, metrics, about, insecure, crossOrigin };
  return createLambdaApp({ ...service, closing, unsent, turns }, settings);
});

export async function buffered(event: HttpEvent, context: RuntimeContext) {
  return await (await api()).buffer(event, context);
}

function streamed({ streamifyResponse, HttpResponseStream }: StreamingRuntime) {
  return streamifyResponse(async (event, stream, context) => {
    context.callbackWaitsForEmptyEventLoop = false;
    const begin = HttpResponseStream.from.bind(HttpResponseStream, stream);
    await (await api()).stream(event, context, { stream, begin });
  });
}

const runtime = streamingRuntime();
export const handler = runtime === undefined ? buffered : streamed(runtime);
