/** `GET /v1/streams/{s}/messages` and `POST /v1/streams/{s}/read`: the same arguments, the same answers. */

import { READ_BYTES_DEFAULT } from '../../core/log/limits.ts';
import { linkAbort } from '../../services/linked-abort.ts';
import { LogError } from '../../services/log-error.ts';
import { readMessages } from '../../services/read-messages.ts';
import { readWrittenObject } from '../control-body.ts';
import { isKnown, unchangedAnswer } from '../entity.ts';
import type { Front } from '../front.ts';
import { refuseQuery } from '../no-query.ts';
import { readByBodyOperation, readOperation } from '../operations/read.ts';
import { parseQuery, validate } from '../query.ts';
import { type FilterSource, readFilter } from '../read-filter.ts';
import { negotiateFormat, type ReadFormat } from '../read-format.ts';
import { fitPage } from '../render/fitted-page.ts';
import { keptPageTag } from '../render/kept-page.ts';
import { factHeaders, pageAnswer } from '../render/page-answer.ts';
import { type Route, type RouteRequest, streamParam } from '../route.ts';
import {
  type ReadParameters,
  readBodySchema,
  readBounds,
  readSchema,
  startRequest,
} from '../schemas/read-parameters.ts';
import { followAnswer } from './follow.ts';

/**
 * Above it the text of a page takes a millisecond and more. Who asks for more than is usual takes a turn
 * before reading; of others it is known only then.
 */
const LARGE_PAGE_BYTES = 256 * 1024;
/** Some readers that catch up side by side are no crowd. */
const CROWD_MIN = 16;

export const readRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/streams/:stream/messages',
    permission: 'read',
    operation: readOperation,
    handle: (request) => {
      const parameters = parseQuery(request.raw.url, readSchema);
      const { filter } = parameters;
      const source = filter === undefined ? undefined : ({ kind: 'query', text: filter } as const);
      return read(request, parameters, source);
    },
  },
  {
    method: 'POST',
    path: '/v1/streams/:stream/read',
    permission: 'read',
    operation: readByBodyOperation,
    async handle(request) {
      refuseQuery(request.raw.url);
      const body = await readWrittenObject(request);
      const parameters = validate(body?.members ?? {}, readBodySchema);
      const text = body?.textOf('filter');
      return await read(
        request,
        parameters,
        text === undefined ? undefined : { kind: 'json', text },
      );
    },
  },
];

async function read(
  request: RouteRequest,
  parameters: ReadParameters,
  source: FilterSource | undefined,
): Promise<Response> {
  const stream = streamParam(request);
  const filter = readFilter(parameters, source);
  // Rounds of a scan take as long as large pages do.
  const filtering = filter && { filter, takeTurn: () => request.turns.pages.take() };
  const start = { stream, ...startRequest(parameters), ...(filtering && { filtering }) };
  const format = parameters.as ?? negotiateFormat(request.raw.headers.get('accept'));
  refuseFollow(format, parameters);
  if (format === 'sse' || parameters.follow) {
    refuseBuffering(request.front);
    return await followAnswer(request, { start, format, parameters });
  }
  const bounds = waitingBounds(request, readBounds(parameters));
  // Only a read that takes its time is worth ending early: watching for that would cost every other one.
  const isLong = bounds.waitMs > 0 || filter !== undefined;
  const life = isLong ? linkAbort(request.raw.signal, request.closing) : linkAbort();
  try {
    const wantsMore = bounds.bytesMax > READ_BYTES_DEFAULT;
    if (wantsMore) await request.turns.pages.take();
    const bytesMax = Math.min(bounds.bytesMax, pageBytesMax(request));
    const asked = { ...start, ...bounds, bytesMax };
    const found = await readMessages(request.components, asked, life.signal);
    const waited = bounds.waitMs > 0;
    const rendered = { stream, format, base64: parameters.body === 'base64', waited };
    const { page, options } = fitPage(found, rendered, request.front?.answerBytesMax);
    const bytes = page.chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
    request.unsent.add(bytes);
    if (!wantsMore && bytes > LARGE_PAGE_BYTES) await request.turns.pages.take();
    const etag = keptPageTag(request, parameters, { page, options, filter });
    if (etag !== undefined && isKnown(request, etag)) {
      return unchangedAnswer(factHeaders(request, page, { format, etag }));
    }
    if (request.raw.method !== 'HEAD') request.metrics.read(format, page.chunks);
    return pageAnswer(request, page, etag === undefined ? options : { ...options, etag });
  } finally {
    life.end();
  }
}

/** Behind a front that is paid for its time a wait may end early; it was one all the same (SPEC LR1). */
function waitingBounds<Bounds extends { readonly waitMs: number }>(
  { front }: RouteRequest,
  bounds: Bounds,
): Bounds {
  return { ...bounds, waitMs: Math.min(bounds.waitMs, front?.waitMsMax ?? bounds.waitMs) };
}

function refuseBuffering(front: Front | undefined): void {
  if (front?.answerBytesMax === undefined) return;
  throw new LogError(
    'what lies in front of this service hands answers over as a whole, so nothing can be followed here: ask for pages with wait=20',
    { code: 'not_acceptable', details: { field: 'wait' } },
  );
}

/** What is asked for is a most: when many ask for much, each has less at a time. */
function pageBytesMax({ turns, unsent }: RouteRequest): number {
  const isCrowded = turns.pages.count() > CROWD_MIN;
  return isCrowded ? LARGE_PAGE_BYTES : unsent.pageBytesMax();
}

function refuseFollow(format: ReadFormat, { follow }: ReadParameters): void {
  if (!follow || format === 'sse' || format === 'ndjson' || format === 'text') return;
  throw new LogError(
    `follow needs lines: ask for them with as=ndjson or as=text, or for events with as=sse`,
    { code: 'invalid_request', details: { field: 'follow' } },
  );
}
