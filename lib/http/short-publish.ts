/**
 * The short way of the commonest request: one small message as it stands, published without options.
 * It skips `Request`, router and `Response`, which cost more than the publish itself, and gives the
 * same answer. Only what is listed here goes this way, so that a header or parameter that comes to
 * mean something later is never overlooked.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { permits } from '../core/access/permission.ts';
import { parseStreamName, type StreamName } from '../core/log/ids.ts';
import { bodyBatch } from '../services/batch-builder.ts';
import { publishMessages } from '../services/publish-messages.ts';
import { type Answered, jsonParts } from './answer.ts';
import { TEXT_TYPE } from './body/parse-publish.ts';
import { FREE_BYTES_MAX } from './body-budget.ts';
import { pathTemplate } from './openapi/parameters.ts';
import { isLoopbackHost } from './origin-guard.ts';
import { publishMembers } from './render/publish-answer.ts';
import { RequestTiming } from './request-timing.ts';
import { ANYONE, type HttpOptions, problemParts, requestIdFrom } from './route.ts';
import { publishRoute } from './routes/publish.ts';

/** Names without escapes; `true` is the only value of the only parameter. */
const TARGET = /^\/v1\/streams\/([\w.~-]+)\/messages(\?create=true)?$/;

/** A name has at most 255 bytes, so these take some hundred KiB. */
const TARGETS_MAX = 1_024;

/** Types that make any body one message, and the type it is stored with. */
const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['', TEXT_TYPE],
  ['application/x-www-form-urlencoded', TEXT_TYPE],
  [TEXT_TYPE, TEXT_TYPE],
  ['text/plain', 'text/plain'],
  ['application/octet-stream', 'application/octet-stream'],
]);

/** Headers that change nothing of a publish. */
const IDLE_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'connection',
  'keep-alive',
  'user-agent',
]);
/** Those that are read; any other one is for the long way. */
const READ_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'content-type',
  'x-request-id',
]);

interface ShortTarget {
  readonly stream: StreamName;
  readonly create: boolean;
}

interface ShortPublish extends ShortTarget, Answered {
  readonly contentType: string;
  readonly bodyBytes: number;
  readonly timing: RequestTiming;
}

/** Takes the request and returns true, or leaves it untouched. */
export type ShortWay = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

export function createShortPublish(options: HttpOptions): ShortWay {
  const targets = new Map<string, ShortTarget>();
  const { inFlight, route } = options.metrics;
  const ofRoute = route(pathTemplate(publishRoute.path));
  return (incoming, outgoing) => {
    const publish = recognize(incoming, options, targets);
    if (publish === undefined) return false;
    receive(incoming, publish.bodyBytes, (body) => {
      // Counted from here on, since a body that breaks off is never answered.
      inFlight.add(1);
      void answer(publish, body, options).then(({ status, headers, text }) => {
        outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) });
        outgoing.end(text);
        inFlight.add(-1);
        ofRoute.answered('POST', status, publish.timing.headMs());
      });
    });
    return true;
  };
}

/** Undefined for anything but plainly this kind of request. */
function recognize(
  incoming: IncomingMessage,
  options: HttpOptions,
  targets: Map<string, ShortTarget>,
): ShortPublish | undefined {
  if (incoming.method !== 'POST') return undefined;
  const target = shortTarget(incoming.url ?? '', targets);
  const headers = target && readHeaders(incoming.rawHeaders);
  if (!headers || !permits(ANYONE, 'write')) return undefined;

  const contentType = CONTENT_TYPES.get(headers.contentType);
  const bodyBytes = headers.length === undefined ? 0 : Number(headers.length);
  const isServed = options.insecure || (headers.host !== undefined && isLoopbackHost(headers.host));
  if (contentType === undefined || !isServed || !(bodyBytes <= FREE_BYTES_MAX)) return undefined;
  return {
    ...target,
    contentType,
    bodyBytes,
    requestId: requestIdFrom(headers.requestId ?? null, options),
    timing: new RequestTiming(options.components.clock),
    // A request with an origin never comes this way.
    extraHeaders: options.crossOrigin.answerHeaders(null),
  };
}

/** Publishers come back to the same streams, and checking a name takes a while. */
function shortTarget(url: string, known: Map<string, ShortTarget>): ShortTarget | undefined {
  const before = known.get(url);
  if (before !== undefined) return before;

  const match = TARGET.exec(url);
  const stream = match && parseStreamName(match[1] ?? '');
  if (stream?.kind !== 'ok') return undefined;
  const target = { stream: stream.name, create: match?.[2] !== undefined };
  if (known.size >= TARGETS_MAX) known.clear();
  known.set(url, target);
  return target;
}

interface ShortHeaders {
  host: string | undefined;
  contentType: string;
  length: string | undefined;
  requestId: string | undefined;
}

/** Undefined when a header is not known here, or comes twice: then nobody guesses. */
function readHeaders(raw: readonly string[]): ShortHeaders | undefined {
  const seen = new Map<string, string>();
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]?.toLowerCase() ?? '';
    if (IDLE_HEADERS.has(name)) continue;
    if (!READ_HEADERS.has(name) || seen.has(name)) return undefined;
    seen.set(name, raw[index + 1] ?? '');
  }
  return {
    host: seen.get('host'),
    contentType: seen.get('content-type') ?? '',
    length: seen.get('content-length'),
    requestId: seen.get('x-request-id'),
  };
}

/** Never calls back for a body that breaks off: nobody is there to be answered. */
function receive(
  incoming: IncomingMessage,
  bodyBytes: number,
  done: (body: Uint8Array) => void,
): void {
  const parts: Buffer[] = [];
  incoming.on('data', (part: Buffer) => parts.push(part));
  incoming.on('end', () => {
    const [only] = parts;
    done(only !== undefined && parts.length === 1 ? only : Buffer.concat(parts, bodyBytes));
  });
}

async function answer(publish: ShortPublish, body: Uint8Array, options: HttpOptions) {
  const { stream, create, contentType, requestId, timing, extraHeaders } = publish;
  try {
    const batch = bodyBatch(body, contentType);
    // Never left: a look at the clock less, since the head is made as soon as the store has answered.
    timing.enterStore();
    const published = await publishMessages(options.components, { stream, create, batch });
    return jsonParts(publish, publishMembers(published));
  } catch (error) {
    const path = `/v1/streams/${stream}/messages`;
    const { telemetry, metrics } = options;
    const request = { requestId, timing, extraHeaders, telemetry, metrics };
    return problemParts(error, request, { method: 'POST', path });
  }
}
