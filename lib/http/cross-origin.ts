/**
 * Which pages of other origins may call the service and read its answers (SPEC A6): none, unless the
 * server was started with `--cors-origin`. No credentials of a browser are ever asked for.
 */
import type { AnswerHeaders } from './answer.ts';

export interface CrossOrigin {
  /** Whether the origin was listed. */
  admits(origin: string): boolean;
  /** For every answer to a request with this `Origin`, or none. */
  answerHeaders(origin: string | null): AnswerHeaders;
  /** For the answer to a browser that asks beforehand; empty for any other `OPTIONS`. */
  preflightHeaders(asked: Headers, methods: string): AnswerHeaders;
}

/** What a page may read of an answer, beside what every page may. */
const EXPOSED = [
  'Allow',
  'ETag',
  'Retry-After',
  'Server-Timing',
  'Traceparent',
  'Varve-Clamped',
  'Varve-First',
  'Varve-Gap',
  'Varve-Next',
  'Varve-Resolved',
  'Varve-Stream-Id',
  'Varve-Tail',
  'Varve-Up-To-Date',
  'X-Request-Id',
].join(', ');

/** The longest that browsers keep such an answer; the origin is looked at again with every request. */
const PREFLIGHT_SECONDS = 7_200;

const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(?: *, *[\w!#$%&'*+.^`|~-]+)*$/;
const NO_HEADERS: AnswerHeaders = {};

/** `*` alone stands for every origin. */
export function createCrossOrigin(origins: readonly string[]): CrossOrigin {
  const listed = new Set(origins);
  const isAny = listed.has('*');
  const admits = (origin: string) => isAny || listed.has(origin);
  const others: AnswerHeaders = isAny || listed.size === 0 ? NO_HEADERS : { vary: 'Origin' };
  return {
    admits,
    answerHeaders(origin) {
      if (origin === null || !admits(origin)) return others;
      return {
        ...others,
        'access-control-allow-origin': isAny ? '*' : origin,
        'access-control-expose-headers': EXPOSED,
      };
    },
    preflightHeaders(asked, methods) {
      const origin = asked.get('origin');
      const isPreflight = asked.has('access-control-request-method');
      return isPreflight && origin !== null && admits(origin)
        ? preflightHeaders(asked, methods)
        : NO_HEADERS;
    },
  };
}

function preflightHeaders(asked: Headers, methods: string): AnswerHeaders {
  // Messages bring headers of any name (`varve-header-…`), so what is asked for is what is allowed.
  const names = asked.get('access-control-request-headers')?.trim() ?? '';
  return {
    vary: 'Access-Control-Request-Method, Access-Control-Request-Headers',
    'access-control-allow-methods': methods,
    ...(HEADER_NAMES.test(names) && { 'access-control-allow-headers': names }),
    'access-control-max-age': String(PREFLIGHT_SECONDS),
    // A page of the internet that calls a service of this network asks for that as well.
    ...(asked.get('access-control-request-private-network') === 'true' && {
      'access-control-allow-private-network': 'true',
    }),
  };
}
