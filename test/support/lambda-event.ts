/** Requests as the fronts before Lambda hand them over: payload 2.0. */
import type { IncomingMessage } from 'node:http';
import type { HttpEvent } from '../../lib/http/lambda/http-event.ts';

export interface EventOptions {
  readonly body: Buffer;
  /** What the front makes of the path. */
  rawPath(path: string): string;
  readonly iam: object | undefined;
}

/** Handed over as text; of any other type as base64. */
const TEXT_TYPE = /^(?:text\/|application\/(?:json|javascript|xml)\b)/i;

export function createEvent(incoming: IncomingMessage, options: EventOptions): HttpEvent {
  const [path = '/', ...query] = (incoming.url ?? '/').split('?');
  const { cookie, ...headers } = incoming.headers;
  const { body, rawPath, iam } = options;
  const isText = TEXT_TYPE.test(headers['content-type'] ?? '');
  return {
    rawPath: rawPath(path),
    rawQueryString: query.join('?'),
    headers: {
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, text(value)])),
      'x-forwarded-proto': 'http',
    },
    requestContext: {
      domainName: headers.host ?? '',
      http: { method: incoming.method ?? 'GET' },
      ...(iam && { authorizer: { iam } }),
    },
    ...(body.length > 0 && { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

function text(value: string | readonly string[] | undefined): string {
  return value === undefined ? '' : [value].flat().join(',');
}

/** As HTTP APIs give it: all but `%25` is decoded, and what looks like a query is gone. */
export function decodedPath(path: string): string {
  const decoded = path.split('%25').map(decodedPart).join('%25');
  return decoded.split('?', 1)[0] ?? '';
}

/** It is not known what becomes of what cannot be decoded: here it stays as it is. */
function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
