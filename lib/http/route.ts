/**
 * A route: what it answers, and what may call it. One place runs all of them, in the order of SPEC
 * P11: foreign origin, permission, then the handler; a fault of the request is told only when the
 * stream it is about exists.
 */
import { type Permission, type Principal, permits } from '../core/access/permission.ts';
import { parsePublisherName, parseStreamName, type StreamName } from '../core/log/ids.ts';
import { DEFAULT_EXCHANGE, parseExchangeName } from '../core/routing/exchange.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { Components } from '../services/components.ts';
import { type ExchangeReference, loadExchange } from '../services/exchanges.ts';
import { loadStream } from '../services/load-stream.ts';
import { LogError } from '../services/log-error.ts';
import { type Answered, type AnswerHeaders, answerHeaders } from './answer.ts';
import type { BodyBudget } from './body-budget.ts';
import type { CrossOrigin } from './cross-origin.ts';
import type { Front } from './front.ts';
import type { HttpMetrics } from './http-metrics.ts';
import type { Operation } from './openapi/operation.ts';
import { refuseForeign } from './origin-guard.ts';
import { describeProblem, RETRY_AFTER_SECONDS } from './problem.ts';
import type { RequestTiming } from './request-timing.ts';
import type { TraceContext } from './trace-context.ts';
import type { AllTurns } from './turns.ts';
import type { UnsentAnswers } from './unsent-answers.ts';

export interface HttpOptions {
  readonly components: Components;
  readonly telemetry: Telemetry;
  readonly bodies: BodyBudget;
  readonly metrics: HttpMetrics;
  readonly about: About;
  /** Serves any host and origin (SPEC A6). */
  readonly insecure: boolean;
  readonly crossOrigin: CrossOrigin;
  readonly unsent: UnsentAnswers;
  readonly turns: AllTurns;
  /** Aborts when the server ends: whoever waits or follows is let go. */
  readonly closing: AbortSignal;
}

/** What the service says of itself. */
export interface About {
  readonly version: string;
  /** Which kind of store it was wired to. */
  readonly store: 'embedded' | 'aws';
  readonly startedMs: number;
}

/** A request as a handler sees it. */
export interface RouteRequest extends HttpOptions, Answered {
  readonly raw: Request;
  /** The path as it was sent, with its dots; undefined behind a front that does not tell. */
  readonly target: string | undefined;
  /** Undefined for a request that came by a socket of our own. */
  readonly front: Front | undefined;
  readonly timing: RequestTiming;
  readonly trace: TraceContext | undefined;
  /** Path parameters, decoded. */
  param(name: string): string;
}

export interface Route {
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** `:stream`, `:publisher`, `:consumer`, `:exchange` … stand for one percent-encoded name each. */
  readonly path: string;
  readonly permission: Permission;
  /** What the description of the API says of it. */
  readonly operation: Operation;
  /** Whether the stream or exchange may be missing: a fault of the request is then told as it is. */
  mayLackStream?(request: RouteRequest): boolean;
  handle(request: RouteRequest): Promise<Response> | Response;
}

/** Until tokens are built whoever reaches the server is this one. */
export const ANYONE: Principal = { kind: 'anyone' };

/** Longer ones are cut by proxies; the headers may hold as much again. */
export const URL_BYTES_MAX = 16 * 1024;

export async function runRoute(route: Route, request: RouteRequest): Promise<Response> {
  try {
    checkRequest(request);
    if (!permits(ANYONE, route.permission)) {
      throw new LogError('this needs a permission that the token lacks', { code: 'forbidden' });
    }
    return await route.handle(request);
  } catch (error) {
    return problemAnswer(await blameMissing(error, route, request), request);
  }
}

/** The client's id, if it can stand in a header and a log line as it is. */
export function requestIdFrom(given: string | null, { components }: HttpOptions): string {
  return given !== null && /^[!-~]{1,128}$/.test(given) ? given : components.random.hex128();
}

/** What holds for every path, known or not. */
export function checkRequest({
  raw,
  target,
  insecure,
  crossOrigin,
}: Pick<RouteRequest, 'raw' | 'target' | 'insecure' | 'crossOrigin'>): void {
  if (!insecure) refuseForeign(raw.headers, crossOrigin);
  if (target !== undefined && PATH_STEP.test(target)) throw pathStep();
  if (raw.url.length > URL_BYTES_MAX) {
    throw new LogError(`the URL has ${raw.url.length} bytes: at most ${URL_BYTES_MAX} are taken`, {
      code: 'uri_too_long',
      details: { limit: URL_BYTES_MAX, actual: raw.url.length },
    });
  }
  if (raw.url.includes('%')) refuseBrokenPath(raw.url);
}

/** `.` or `..` between slashes, encoded or not: resolved, the path would name something else. */
const PATH_STEP = /^[^?#]*\/(?:\.|%2e){1,2}(?:[/?#]|$)/i;

function pathStep(): LogError {
  return new LogError('a name in the path is "." or "..", which is a path step: choose another', {
    code: 'invalid_name',
    details: { field: 'path' },
  });
}

function refuseBrokenPath(url: string): void {
  const path = url.split('?', 1)[0] ?? '';
  try {
    decodeURIComponent(path);
  } catch (cause) {
    const message = 'the path is not percent-encoded UTF-8';
    throw new LogError(message, { code: 'invalid_request', details: { field: 'path' }, cause });
  }
}

/** SPEC P11: that the stream or exchange is missing goes before anything wrong with the request. */
async function blameMissing(error: unknown, route: Route, request: RouteRequest): Promise<unknown> {
  if (!(error instanceof LogError) || !REQUEST_FAULTS.has(error.code)) return error;
  if (route.mayLackStream?.(request)) return error;
  try {
    if (route.path.includes(':stream')) await loadStream(request.components, streamParam(request));
    if (route.path.includes(':exchange')) await requireExchange(request);
    return error;
  } catch (missing) {
    return missing;
  }
}

const REQUEST_FAULTS: ReadonlySet<string> = new Set([
  'invalid_request',
  'invalid_offset',
  'invalid_filter',
  'invalid_setting',
  'setting_not_supported',
  'invalid_name',
  'not_acceptable',
  'message_too_large',
  'request_too_large',
  'too_many_messages',
  'unsupported_media_type',
]);

export function problemAnswer(error: unknown, request: RouteRequest): Response {
  const { method, url } = request.raw;
  const { status, headers, text } = problemParts(error, request, {
    method,
    path: new URL(url).pathname,
  });
  return new Response(text, { status, headers });
}

export type FailedRequest = Answered &
  Pick<HttpOptions, 'telemetry' | 'metrics'> & { readonly trace?: TraceContext | undefined };

/** A failure as what goes out, on any way; a fault of the service is told to its operators here. */
export function problemParts(
  error: unknown,
  request: FailedRequest,
  { method, path }: { readonly method: string; readonly path: string },
) {
  const problem = describeProblem(error, {
    id: request.requestId,
    instance: path.slice(0, 1024),
    changes: method !== 'GET' && method !== 'HEAD',
  });
  const { code, status, sideEffects, members, isFault } = problem;
  request.metrics.problem(code);
  if (isFault) {
    const fields = { ...faultFields(request), method, code, side_effects: sideEffects, error };
    request.telemetry.error('request_failed', fields);
  }
  const headers: AnswerHeaders = answerHeaders(request, {
    'content-type': 'application/problem+json',
    ...((status === 503 || status === 429) && { 'retry-after': String(RETRY_AFTER_SECONDS) }),
  });
  return { status, headers, text: JSON.stringify(members) };
}

/** What finds a failed request again, in the logs of whoever called and of what it called. */
export function faultFields({ requestId, trace }: Pick<FailedRequest, 'requestId' | 'trace'>) {
  return { request_id: requestId, ...(trace && { trace_id: trace.traceId }) };
}

export function streamParam(request: RouteRequest): StreamName {
  const parsed = parseStreamName(request.param('stream'));
  if (parsed.kind === 'ok') return parsed.name;
  throw new LogError(parsed.reason, { code: 'invalid_name', details: { field: 'stream' } });
}

async function requireExchange(request: RouteRequest): Promise<void> {
  const name = exchangeParam(request);
  if (name !== DEFAULT_EXCHANGE) await loadExchange(request.components, name);
}

export function exchangeParam(request: RouteRequest): ExchangeReference {
  const text = request.param('exchange');
  if (text === DEFAULT_EXCHANGE) return text;
  refuseHoldingPlace(text);
  const parsed = parseExchangeName(text);
  if (parsed.kind === 'ok') return parsed.name;
  throw new LogError(parsed.reason, { code: 'invalid_name', details: { field: 'exchange' } });
}

/** As brokers call the place where a delayed exchange keeps messages: it belongs to the service (SPEC L9). */
function refuseHoldingPlace(name: string): void {
  if (!/^amq\.delayed[-.]/.test(name)) return;
  throw new LogError(
    'this is where an exchange holds delayed messages: publish to the exchange, and see /v1/delayed',
    { code: 'internal_exchange', details: { exchange: name } },
  );
}

export function publisherParam(request: RouteRequest) {
  const parsed = parsePublisherName(request.param('publisher'));
  if (parsed.kind === 'ok') return parsed.name;
  throw new LogError(parsed.reason, { code: 'invalid_name', details: { field: 'publisher' } });
}
