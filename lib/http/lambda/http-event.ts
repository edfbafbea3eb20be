/**
 * A request as Lambda hands it over (payload 2.0, of a Function URL or an HTTP API), made into the
 * `Request` that it was. Function URLs give the path as it was sent; HTTP APIs decode all of it but `%25`,
 * so behind those a name with `/` or `?` in it cannot be told from a longer path.
 */
import { isUtf8 } from 'node:buffer';
import { LogError } from '../../services/log-error.ts';

export interface HttpEvent {
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers: { readonly [name: string]: string | undefined };
  readonly requestContext: {
    readonly domainName?: string;
    readonly http: { readonly method: string };
    /** Who signed the request, where the front asks for that. */
    readonly authorizer?: { readonly iam?: unknown };
  };
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

export interface EventRequest {
  readonly request: Request;
  /** The path with its dots, which a `Request` resolves. */
  readonly target: string;
}

export interface RequestOptions {
  /** What it is called when it does not name itself: the log lines of the runtime have it too. */
  readonly requestId: string;
  readonly signal: AbortSignal;
}

/** Throws TypeError for what is no request, such as one with a method that no server takes. */
export function requestOf(event: HttpEvent, { requestId, signal }: RequestOptions): EventRequest {
  const { method } = event.requestContext.http;
  const target = escapePath(event.rawPath);
  const query =
    event.rawQueryString === '' ? '' : `?${event.rawQueryString.replaceAll('#', '%23')}`;
  const sent = method === 'GET' || method === 'HEAD' ? undefined : bodyOf(event);
  const headers = headersOf(event, sent);
  if (!headers.has('x-request-id')) headers.set('x-request-id', requestId);
  const body = sent !== undefined && isChanged(event, sent) ? refusedBody() : sent;
  const request = new Request(`${originOf(event)}${target}${query}`, {
    method,
    headers,
    signal,
    ...(body && { body, duplex: 'half' }),
  });
  return { request, target };
}

/** What stands decoded in a path would be read as something else, or not at all; `%` is never such. */
function escapePath(path: string): string {
  return path.replace(/[^!-~]+|[?#\\]/gu, (text) => encodeURIComponent(text.toWellFormed()));
}

/** Emulators may name a domain that is none. */
function originOf({ requestContext, headers }: HttpEvent): string {
  const scheme = headers['x-forwarded-proto'] === 'http' ? 'http' : 'https';
  const origin = `${scheme}://${requestContext.domainName}`;
  return URL.canParse(origin) ? origin : `${scheme}://localhost`;
}

function bodyOf({ body, isBase64Encoded }: HttpEvent): Buffer<ArrayBuffer> | undefined {
  return body === undefined ? undefined : Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
}

/**
 * Bodies of some types come as text, whatever was in them: what is no UTF-8 has other letters by then, and
 * what is compressed is no longer.
 */
function isChanged({ headers, isBase64Encoded }: HttpEvent, body: Buffer): boolean {
  if (isBase64Encoded) return false;
  const length = headers['content-length'];
  const isCoded = (headers['content-encoding'] ?? 'identity') !== 'identity';
  return isCoded || (length !== undefined && Number(length) !== body.length);
}

/** Told when it is read, so in the order of all other faults: nothing else than was sent is ever stored. */
function refusedBody(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      controller.error(
        new LogError(
          'the body was taken for text on its way here and is changed: send it as UTF-8 without Content-Encoding, or as application/octet-stream',
          { code: 'unsupported_media_type', details: { field: 'Content-Type' } },
        ),
      );
    },
  });
}

function headersOf(event: HttpEvent, body: Buffer | undefined): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(event.headers)) {
    if (value !== undefined) headers.set(name, sentBytes(value));
  }
  // Of what was sent, before the front took its framing off.
  if (headers.has('content-length')) headers.set('content-length', String(body?.length ?? 0));
  return headers;
}

/** As Node has it, a character for each byte: fronts give the text that the bytes are. */
function sentBytes(value: string): string {
  const isBytes = !/[^\0-\xff]/.test(value) && isUtf8(Buffer.from(value, 'latin1'));
  return isBytes ? value : Buffer.from(value, 'utf8').toString('latin1');
}
