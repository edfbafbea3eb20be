/** A page of messages as an answer: the facts in headers in every format, and in members of JSON. */
import type { StreamName } from '../../core/log/ids.ts';
import type { MessagePage, PageFacts } from '../../services/read-messages.ts';
import { type Answered, type AnswerHeaders, answerHeaders } from '../answer.ts';
import { piecesAnswer } from '../pieces-answer.ts';
import { FORMAT_TYPES, type ReadFormat } from '../read-format.ts';
import { ByteWriter } from './byte-writer.ts';
import {
  framePieces,
  writeBodyLines,
  writeMessageArray,
  writeMessageLines,
} from './chunk-lines.ts';
import { writeEventArray } from './event-json.ts';
import { KEPT_FOR_EVER } from './kept-page.ts';

/** Room for the members of a message beside its body, so that the buffer seldom grows. */
const MESSAGE_OVERHEAD_BYTES = 96;

/** A reader that found everything may ask again after this; one that waits need not wait twice. */
const POLL_AFTER_MS = 1_000;

export interface PageAnswerOptions {
  readonly stream: StreamName;
  readonly format: Exclude<ReadFormat, 'sse'>;
  readonly base64: boolean;
  readonly waited: boolean;
  /** Of a page that may be kept for ever: then nothing is told that changes (SPEC LR6). */
  readonly etag?: string;
}

export function pageAnswer(
  request: Answered,
  page: MessagePage,
  options: PageAnswerOptions,
): Response {
  const { format, etag } = options;
  const headers = () => factHeaders(request, page, { format, ...(etag && { etag }) });
  if (format === 'binary') return piecesAnswer(framePieces(page.chunks), headers());

  const body = renderPage(page, { ...options, format });
  return new Response(body, { headers: headers() });
}

/** How many bytes the body of its answer has. */
export function pageAnswerBytes(page: MessagePage, options: PageAnswerOptions): number {
  const { format } = options;
  if (format !== 'binary') return renderPage(page, { ...options, format }).length;
  return framePieces(page.chunks).reduce((sum, { length }) => sum + length, 0);
}

function renderPage(page: MessagePage, options: WrittenOptions): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter(expectedBytes(page));
  writePage(writer, page, options);
  return writer.finish();
}

function expectedBytes({ chunks }: MessagePage): number {
  const bytes = chunks.reduce((sum, { records }) => sum + records.length, 0);
  const count = chunks.reduce((sum, chunk) => sum + chunk.count, 0);
  return bytes + count * MESSAGE_OVERHEAD_BYTES + 1024;
}

interface WrittenOptions extends PageAnswerOptions {
  readonly format: Exclude<PageAnswerOptions['format'], 'binary'>;
}

function writePage(writer: ByteWriter, page: MessagePage, options: WrittenOptions): void {
  const { base64 } = options;
  switch (options.format) {
    case 'json':
      writer.ascii('{"messages":');
      writeMessageArray(writer, page.chunks, { base64, oneLine: false });
      writer.utf8(`,${JSON.stringify(factMembers(page, options)).slice(1)}`);
      break;
    case 'ndjson':
      writeMessageLines(writer, page.chunks, { base64 });
      break;
    case 'text':
      writeBodyLines(writer, page.chunks);
      break;
    case 'cloudevents':
      writeEventArray(writer, page.chunks, {
        base64,
        stream: options.stream,
        streamId: page.streamId,
      });
  }
}

function factMembers(page: MessagePage, { waited, etag }: PageAnswerOptions) {
  return {
    next: page.next,
    ...(etag === undefined && { first: page.first, tail: page.tail, up_to_date: page.upToDate }),
    resolved: page.resolved,
    stream_id: page.streamId,
    ...(page.gap && { gap: gapMembers(page.gap) }),
    ...(page.clamped && { clamped: true }),
    poll_after_ms: page.upToDate && !waited ? POLL_AFTER_MS : 0,
  };
}

export function gapMembers(gap: NonNullable<PageFacts['gap']>) {
  const { requested, firstAvailable, missing } = gap;
  return { requested, first_available: firstAvailable, missing };
}

export function factHeaders(
  request: Answered,
  facts: PageFacts,
  { format, etag }: { readonly format: ReadFormat; readonly etag?: string },
): AnswerHeaders {
  return answerHeaders(request, {
    'content-type': FORMAT_TYPES[format],
    vary: 'Accept, Accept-Encoding, Authorization',
    'varve-next': String(facts.next),
    'varve-stream-id': facts.streamId,
    'varve-resolved': asciiJson(facts.resolved),
    ...(etag === undefined ? changingFacts(facts) : { etag, 'cache-control': KEPT_FOR_EVER }),
    ...(facts.gap && { 'varve-gap': JSON.stringify(gapMembers(facts.gap)) }),
    ...(facts.clamped && { 'varve-clamped': 'true' }),
  });
}

/** A header holds no other characters, and the name of a consumer may. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function changingFacts({ first, tail, upToDate }: PageFacts): AnswerHeaders {
  return {
    'varve-first': String(first),
    'varve-tail': String(tail),
    'varve-up-to-date': String(upToDate),
  };
}
