/** Takes the bytes that a server sent apart, and throws where they are no HTTP/1.1. */
import assert from 'node:assert/strict';

export interface HttpResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

const STATUS_LINE = /^HTTP\/1\.1 ([1-5][0-9]{2}) [\x20-\x7e]+$/;
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ ]?([\x20-\x7e\x80-\xff]*)$/;

/**
 * The final responses, in their order; interim ones are left out. The last one may be cut off when
 * `isCut`: then it is left out too.
 */
export function parseResponses(bytes: Buffer, isCut: boolean): HttpResponse[] {
  const responses: HttpResponse[] = [];
  let rest = bytes.toString('latin1');
  while (rest !== '') {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd < 0 && isCut) break;
    assert(headEnd >= 0, `no end of a head: ${JSON.stringify(rest.slice(0, 200))}`);
    const head = parseHead(rest.slice(0, headEnd));
    const body = takeBody(rest.slice(headEnd + 4), head);
    if (body === undefined && isCut) break;
    assert(body !== undefined, `a body is cut off: ${JSON.stringify(rest.slice(0, 500))}`);
    if (head.status >= 200) responses.push({ ...head, body: body.text });
    rest = body.rest;
  }
  return responses;
}

type Head = Omit<HttpResponse, 'body'>;

function parseHead(text: string): Head {
  const [first = '', ...lines] = text.split('\r\n');
  const status = Number(STATUS_LINE.exec(first)?.[1]);
  assert(status >= 100, `no status line: ${JSON.stringify(first.slice(0, 200))}`);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name = '', value = ''] = HEADER_LINE.exec(line) ?? [];
    assert(name !== '', `no header: ${JSON.stringify(line)}`);
    assert(!headers.has(name.toLowerCase()), `header ${name} twice`);
    headers.set(name.toLowerCase(), value);
  }
  return { status, headers };
}

interface TakenBody {
  readonly text: string;
  readonly rest: string;
}

/** Undefined when its end is not there. */
function takeBody(rest: string, { status, headers }: Head): TakenBody | undefined {
  if (status < 200 || status === 204 || status === 304) return { text: '', rest };
  const length = headers.get('content-length');
  if (length !== undefined) {
    assert(!headers.has('transfer-encoding') && /^[0-9]+$/.test(length));
    const end = Number(length);
    return rest.length < end ? undefined : { text: rest.slice(0, end), rest: rest.slice(end) };
  }
  if (headers.get('transfer-encoding') === 'chunked') return takeChunks(rest);
  assert.equal(headers.get('connection'), 'close', 'a body without an end');
  return { text: rest, rest: '' };
}

function takeChunks(source: string): TakenBody | undefined {
  let [text, rest] = ['', source];
  for (;;) {
    const lineEnd = rest.indexOf('\r\n');
    if (lineEnd < 0) return undefined;
    const line = rest.slice(0, lineEnd);
    assert(/^[0-9a-f]+$/i.test(line), `no size of a chunk: ${JSON.stringify(line.slice(0, 100))}`);
    const [start, size] = [lineEnd + 2, Number.parseInt(line, 16)];
    if (rest.length < start + size + 2) return undefined;
    assert.equal(rest.slice(start + size, start + size + 2), '\r\n', 'no end of a chunk');
    text += rest.slice(start, start + size);
    rest = rest.slice(start + size + 2);
    if (size === 0) return { text, rest };
  }
}
