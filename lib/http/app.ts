/** The HTTP application: the table of routes, and an answer for whatever is not in it. */
import { type Context, Hono } from 'hono';
import { LogError } from '../services/log-error.ts';
import { emptyAnswer } from './answer.ts';
import {
  checkRequest,
  type HttpOptions,
  problemAnswer,
  type Route,
  type RouteRequest,
  requestIdFrom,
  runRoute,
} from './route.ts';
import { fencingTokenRoutes } from './routes/fencing-token.ts';
import { healthRoutes } from './routes/health.ts';
import { publishRoute } from './routes/publish.ts';
import { publisherRoutes } from './routes/publishers.ts';
import { readRoutes } from './routes/read.ts';
import { retainedRangeRoutes } from './routes/retained-range.ts';
import { streamRoutes } from './routes/streams.ts';

export const ROUTES: readonly Route[] = [
  publishRoute,
  ...readRoutes,
  ...streamRoutes,
  ...retainedRangeRoutes,
  ...fencingTokenRoutes,
  ...publisherRoutes,
  ...healthRoutes,
];

export interface App {
  /** `target` is the path as it was sent, where that is known: `request.url` has its dots resolved. */
  fetch(request: Request, target?: string): Promise<Response> | Response;
}

interface AppEnv {
  Bindings: { readonly target?: string | undefined };
}

export function createApp(options: HttpOptions): App {
  const hono = new Hono<AppEnv>();
  for (const route of ROUTES) {
    hono.on(route.method, route.path, (context) => runRoute(route, routeRequest(context, options)));
  }
  for (const path of new Set(ROUTES.map((route) => route.path))) {
    hono.all(path, (context) => otherMethod(routeRequest(context, options), allowed(path)));
  }
  hono.notFound((context) => noRoute(routeRequest(context, options)));
  hono.onError((error, context) => problemAnswer(error, routeRequest(context, options)));
  return { fetch: (request, target) => hono.fetch(request, { target }) };
}

function routeRequest(context: Context<AppEnv>, options: HttpOptions): RouteRequest {
  const { raw } = context.req;
  return {
    ...options,
    raw,
    target: context.env.target,
    requestId: requestIdFrom(raw.headers.get('x-request-id'), options),
    param: (name) => context.req.param(name) ?? '',
  };
}

function allowed(path: string): string {
  const methods: string[] = ROUTES.filter((route) => route.path === path).map(
    ({ method }) => method,
  );
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}

function otherMethod(request: RouteRequest, allow: string): Response {
  return guarded(request, () => {
    if (request.raw.method === 'OPTIONS') return emptyAnswer(request.requestId, 204, { allow });

    const problem = new LogError(`${request.raw.method} is not taken here: use ${allow}`, {
      code: 'method_not_allowed',
      details: { allow },
    });
    const answer = problemAnswer(problem, request);
    answer.headers.set('allow', allow);
    return answer;
  });
}

function noRoute(request: RouteRequest): Response {
  return guarded(request, () => {
    refuseEmptyName(request.raw.url);
    const message = 'no such route: the API is under /v1, names in a path are percent-encoded';
    throw new LogError(message, { code: 'not_found' });
  });
}

/** A client that puts an empty name into a path hears of the name, not of a missing route (SPEC P9). */
function refuseEmptyName(url: string): void {
  if (!/^\/v1\/streams\/(?:\/|$)/.test(new URL(url).pathname)) return;
  throw new LogError('the name of the stream is empty: give it 1 to 255 bytes', {
    code: 'invalid_name',
    details: { field: 'stream' },
  });
}

function guarded(request: RouteRequest, answer: () => Response): Response {
  try {
    checkRequest(request);
    return answer();
  } catch (error) {
    return problemAnswer(error, request);
  }
}
