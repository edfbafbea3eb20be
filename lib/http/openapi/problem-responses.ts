/** The errors that an operation can answer: a response for each status, with the codes it can carry. */
import { ERROR_CODES, type ErrorCode } from '../../wire/error-codes.ts';
import type { ResponseObject } from './api-document.ts';

type Responses = { readonly [status: string]: ResponseObject | { readonly $ref: string } };

/** By status: what has nothing to do with the operation, so it is described once. */
const SHARED: ReadonlyMap<number, { readonly name: string; readonly code: ErrorCode }> = new Map([
  [403, { name: 'ForeignOrigin', code: 'foreign_origin' }],
  [405, { name: 'MethodNotAllowed', code: 'method_not_allowed' }],
  [408, { name: 'RequestTimeout', code: 'invalid_request' }],
  [414, { name: 'UriTooLong', code: 'uri_too_long' }],
  [431, { name: 'HeadersTooLarge', code: 'headers_too_large' }],
]);

export function sharedResponses(): { readonly [name: string]: ResponseObject } {
  const entries = [...SHARED].map(([status, { name, code }]) => {
    return [name, problemResponse(status, [code], false)] as const;
  });
  return Object.fromEntries(entries);
}

/** `isTimed` when the operation asks the store. */
export function problemResponses(codes: readonly ErrorCode[], isTimed: boolean): Responses {
  const responses: { [status: string]: Responses[string] } = {};
  for (const [status, { name }] of SHARED) {
    responses[status] = { $ref: `#/components/responses/${name}` };
  }
  const own = Map.groupBy(new Set(codes), (code) => ERROR_CODES[code].status);
  for (const [status, ofStatus] of own) {
    const shared = SHARED.get(status);
    const all = shared === undefined ? ofStatus : [shared.code, ...ofStatus];
    responses[status] = problemResponse(status, [...new Set(all)], isTimed);
  }
  return responses;
}

function problemResponse(
  status: number,
  codes: readonly ErrorCode[],
  isTimed: boolean,
): ResponseObject {
  const timing = isTimed && {
    'Server-Timing': { $ref: '#/components/headers/Server-Timing' },
  };
  const allow = status === 405 && { Allow: { $ref: '#/components/headers/Allow' } };
  const retry = status === 503 && { 'Retry-After': { $ref: '#/components/headers/Retry-After' } };
  const titles = Object.fromEntries(codes.map((code) => [code, titleOf(status, code)]));
  return {
    description: Object.entries(titles)
      .map(([code, title]) => `\`${code}\`: ${title}.`)
      .join(' '),
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
      ...timing,
      ...allow,
      ...retry,
    },
    content: {
      'application/problem+json': {
        schema: {
          $ref: '#/components/schemas/Problem',
          properties: { status: { const: status }, code: { enum: [...codes] } },
        },
      },
    },
    'x-errors': titles,
  };
}

/** A request that does not arrive in time has no code of its own. */
function titleOf(status: number, code: ErrorCode): string {
  return status === 408 ? 'The request did not arrive in time' : ERROR_CODES[code].title;
}
