/** The HTTP application: the table of routes, and an answer for whatever is not in it. */
import { type Context, Hono } from 'hono';
import { LogError } from '../services/log-error.ts';
import { emptyAnswer } from './answer.ts';
import type { Front } from './front.ts';
import { NO_ROUTE } from './http-metrics.ts';
import { pathTemplate } from './openapi/parameters.ts';
import { RequestTiming } from './request-timing.ts';
import {
  checkRequest,
  type HttpOptions,
  problemAnswer,
  type Route,
  type RouteRequest,
  requestIdFrom,
  runRoute,
} from './route.ts';
import { bindingRoutes } from './routes/bindings.ts';
import { consumerRoutes } from './routes/consumers.ts';
import { delayedRoutes } from './routes/delayed.ts';
import { descriptionRoutes } from './routes/description.ts';
import { exchangePublishRoute } from './routes/exchange-publish.ts';
import { exchangeRoutes } from './routes/exchanges.ts';
import { fencingTokenRoutes } from './routes/fencing-token.ts';
import { healthRoutes } from './routes/health.ts';
import { monitoringRoutes } from './routes/monitoring.ts';
import { publishRoute } from './routes/publish.ts';
import { publisherRoutes } from './routes/publishers.ts';
import { readRoutes } from './routes/read.ts';
import { readPlanRoute } from './routes/read-plan.ts';
import { retainedRangeRoutes } from './routes/retained-range.ts';
import { segmentsRoute } from './routes/segments.ts';
import { streamRoutes } from './routes/streams.ts';
import { whoamiRoute } from './routes/whoami.ts';
import { timedComponents } from './timed-components.ts';
import { parseTraceparent } from './trace-context.ts';

export const ROUTES: readonly Route[] = [
  publishRoute,
  ...readRoutes,
  readPlanRoute,
  ...streamRoutes,
  segmentsRoute,
  ...retainedRangeRoutes,
  ...fencingTokenRoutes,
  ...publisherRoutes,
  ...consumerRoutes,
  ...exchangeRoutes,
  ...bindingRoutes,
  exchangePublishRoute,
  ...delayedRoutes,
  ...healthRoutes,
  ...monitoringRoutes,
  whoamiRoute,
  ...descriptionRoutes(() => ROUTES),
];

export interface App {
  /**
   * `target` is the path as it was sent, where that is known: `request.url` has its dots resolved.
   * `front` is what the request came through, when that is no socket of our own.
   */
  fetch(request: Request, target?: string, front?: Front): Promise<Response> | Response;
}

interface AppEnv {
  Bindings: { readonly target?: string | undefined; readonly front?: Front | undefined };
}

type AppContext = Context<AppEnv>;
type Answering = (request: RouteRequest) => Promise<Response> | Response;

export function createApp(options: HttpOptions): App {
  const hono = new Hono<AppEnv>();
  for (const route of ROUTES) {
    hono.on(
      route.method,
      route.path,
      counted(options, pathTemplate(route.path), (request) => runRoute(route, request)),
    );
  }
  for (const path of new Set(ROUTES.map((route) => route.path))) {
    const allow = allowed(path);
    hono.all(
      path,
      counted(options, pathTemplate(path), (request) => otherMethod(request, allow)),
    );
  }
  hono.notFound(counted(options, NO_ROUTE, noRoute));
  hono.onError((error, context) =>
    counted(options, NO_ROUTE, (request) => problemAnswer(error, request))(context),
  );
  return { fetch: (request, target, front) => hono.fetch(request, { target, front }) };
}

/** Answers a request, and counts it: every answer of the application goes this way. */
function counted(options: HttpOptions, template: string, answer: Answering) {
  const { inFlight, route } = options.metrics;
  const ofRoute = route(template);
  return async (context: AppContext): Promise<Response> => {
    const request = routeRequest(context, options);
    inFlight.add(1);
    try {
      const response = await answer(request);
      ofRoute.answered(request.raw.method, response.status, request.timing.headMs());
      return response;
    } finally {
      inFlight.add(-1);
    }
  };
}

function routeRequest(context: AppContext, options: HttpOptions): RouteRequest {
  const { raw } = context.req;
  const { target, front } = context.env;
  const { components, crossOrigin } = options;
  const timing = new RequestTiming(components.clock);
  const trace = parseTraceparent(raw.headers.get('traceparent'));
  return {
    ...options,
    components: timedComponents(components, timing),
    raw,
    target,
    front,
    insecure: options.insecure || front?.vouches === true,
    requestId: requestIdFrom(raw.headers.get('x-request-id'), options),
    timing,
    trace,
    extraHeaders: {
      ...crossOrigin.answerHeaders(raw.headers.get('origin')),
      ...(trace && { traceparent: trace.traceparent }),
    },
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
    if (request.raw.method === 'OPTIONS') {
      const preflight = request.crossOrigin.preflightHeaders(request.raw.headers, allow);
      return emptyAnswer(request, { allow, ...preflight });
    }

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
  const kind = /^\/v1\/(stream|exchange)s\/(?:\/|$)/.exec(new URL(url).pathname)?.[1];
  if (kind === undefined) return;
  throw new LogError(`the name of the ${kind} is empty: give it 1 to 255 bytes`, {
    code: 'invalid_name',
    details: { field: kind },
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
