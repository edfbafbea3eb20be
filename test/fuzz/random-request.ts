/** Requests as bytes: right ones, and ones that are damaged in any part of them. */
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { Chance } from './chance.ts';
import { joinBytes, mutateBytes, utf8Pieces } from './mutate-bytes.ts';
import { BODY_TYPES, randomBody } from './random-body.ts';

/** Stands for the stream of the round. No damage makes the other out of it. */
const FUZZED = '/v1/streams/{fuzzed}';
const OTHER = '/v1/streams/another';

interface Draft {
  method: string;
  target: string;
  host: string;
  headers: string[];
  body: Uint8Array;
}

const CONTROLS: readonly (readonly [line: string, body: string])[] = [
  ['GET /v1/streams?limit=3', ''],
  [`GET ${FUZZED}`, ''],
  [`GET ${FUZZED}/messages?as=ndjson&from=-2`, ''],
  [`GET ${FUZZED}/messages?as=sse&limit=2`, ''],
  [`GET ${FUZZED}/messages?as=binary&from=ago:1h`, ''],
  [`GET ${FUZZED}/offsets?from=last`, ''],
  [`POST ${FUZZED}/read`, '{"from":"first","limit":2}'],
  [`PUT ${OTHER}`, '{"segment_max_bytes":1000}'],
  [`PATCH ${OTHER}`, '{"segment_max_age":"1h"}'],
  [`POST ${OTHER}/trim`, '{"before":1}'],
  [`POST ${OTHER}/purge`, ''],
  [`PUT ${OTHER}/fencing-token`, '{"fencing_token":"t"}'],
  [`DELETE ${OTHER}?if_exists=true`, ''],
  ['OPTIONS /v1/streams', ''],
  ['TRACE /v1/streams', ''],
  ['GET /health/ready', ''],
];

const TARGET_PIECES = [
  '%00',
  '%2e%2e',
  '%2E',
  '/',
  '//',
  '%2F',
  '/../',
  '\\',
  '%FF',
  '%',
  '#',
  '?',
  '&',
  '=',
  '*',
  'é',
  '\t',
  ' ',
  ';',
];
const QUERIES = [
  'create=true',
  'raw=true',
  'key=%0d%0ax:y',
  'publisher=p',
  'publishing_id=1',
  'expected_offset=0',
  'as=sse',
  'from=%00',
  'x=1',
];
const HOST = '127.0.0.1';
const HOSTS = [
  '127..1',
  '127.0.0.1:80',
  '127.0.0.1:99999',
  '[::1]',
  '[::',
  'localhost',
  'a@127.0.0.1',
  '',
];
const HEADERS = [
  ...[
    'content-length: 1',
    'content-length: -1',
    'content-length: 5000',
    'content-length: 9999999999999999999999',
  ],
  ...[
    'content-length: 1e1',
    'content-length: ',
    'transfer-encoding: chunked',
    'transfer-encoding: gzip, chunked',
  ],
  ...[
    'transfer-encoding : chunked',
    'transfer-encoding:\tidentity',
    ' folded: x',
    '\tfolded',
    'no colon',
    ': x',
    'a b: c',
  ],
  ...[
    'expect: 100-continue',
    'expect: x',
    'upgrade: h2c',
    'connection: upgrade',
    'connection: close',
    'connection: host',
  ],
  ...[
    'host: evil.example',
    'host: 127.0.0.1',
    'origin: null',
    'content-encoding: gzip',
    'content-encoding: zstd',
  ],
  ...[
    'content-type: ',
    'content-type: application/json; charset=\xff',
    'accept: image/png',
    'accept: text/event-stream',
  ],
  ...[
    'if-none-match: *',
    'last-event-id: 0,0,0',
    'traceparent: 00-x',
    'x-request-id: a\x7fb',
    'ce-id: %ff',
    'ce-type: t',
  ],
  ...[
    'varve-header-a: \xff\xfe',
    'varve-header-__proto__: x',
    `x: ${'y'.repeat(300)}`,
    'x: a\rb',
    'x: a\nb',
    'x: a\0b',
  ],
];
const PIECES = utf8Pieces(
  ...[
    '\r\n',
    '\n',
    '\r',
    '\r\n\r\n',
    '\n\n',
    ' ',
    '\t',
    ':',
    '0\r\n\r\n',
    'ffffffffffffffff\r\n',
    '-1\r\n',
    '\0',
    'GET / HTTP/1.1\r\n',
  ],
  ...[
    ' HTTP/1.0',
    ' HTTP/2.0',
    'HTTP/0.9',
    ';ext="',
    'chunked',
    'content-length: 3\r\n',
    'POST ',
    '%',
    '\u0085',
  ],
);

/** A publish of text that nothing is wrong with, by the short way or the long one. */
export function plainPublish(chance: Chance, stream: string, text: string): Uint8Array {
  const header = chance.oneIn(2) ? [] : ['x-anything: 1'];
  const body = new TextEncoder().encode(text);
  const target = `/v1/streams/${stream}/messages`;
  return encode({ method: 'POST', target, host: HOST, headers: [...header, lengthOf(body)], body });
}

export function damagedRequest(chance: Chance, stream: string): Uint8Array {
  const draft = chance.oneIn(3) ? controlDraft(chance) : publishDraft(chance);
  draft.target = draft.target.replace('{fuzzed}', stream);
  if (chance.oneIn(5)) draft.target = damagedTarget(chance, draft.target);
  if (chance.oneIn(12)) draft.host = chance.pick(HOSTS);
  if (chance.oneIn(3)) {
    const place = chance.below(draft.headers.length + 1);
    draft.headers.splice(place, chance.below(2), ...chance.some(2, () => chance.pick(HEADERS)));
  }
  const whole = encode(draft);
  return chance.oneIn(3) ? mutateBytes(chance, whole, PIECES) : whole;
}

function controlDraft(chance: Chance): Draft {
  const [line, text] = chance.pick(CONTROLS);
  const [method = '', target = ''] = line.split(' ');
  const plain = new TextEncoder().encode(text);
  const body = chance.oneIn(2) ? plain : mutateBytes(chance, plain);
  return { method, target, host: HOST, headers: [lengthOf(body)], body };
}

function publishDraft(chance: Chance): Draft {
  const { type, body, headers } = randomBody(chance);
  const coding = chance.pick(['', '', 'gzip', 'zstd']);
  const damaged = chance.oneIn(3) ? mutateBytes(chance, body) : body;
  const coded = encoded(coding, damaged);
  const sent = coding !== '' && chance.oneIn(3) ? mutateBytes(chance, coded) : coded;
  const query = chance.oneIn(4) ? chance.some(2, () => chance.pick(QUERIES)).join('&') : '';
  const isChunked = chance.oneIn(3);
  return {
    method: 'POST',
    target: `${FUZZED}/messages${query && `?${query}`}`,
    host: HOST,
    headers: [
      `content-type: ${chance.oneIn(6) ? chance.pick(BODY_TYPES) : type}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ...(coding ? [`content-encoding: ${coding}`] : []),
      isChunked
        ? 'transfer-encoding: chunked'
        : lengthOf(sent, chance.oneIn(6) ? chance.below(5) - 2 : 0),
    ],
    body: isChunked ? chunked(chance, sent) : sent,
  };
}

function encoded(coding: string, body: Uint8Array): Uint8Array {
  if (coding === 'gzip') return gzipSync(body);
  return coding === 'zstd' ? zstdCompressSync(body) : body;
}

function damagedTarget(chance: Chance, target: string): string {
  if (chance.oneIn(8))
    return chance.pick([
      '*',
      '',
      'x',
      `http://evil.example${target}`,
      `http://127.0.0.1${target}`,
      '127.0.0.1:80',
    ]);
  const place = chance.below(target.length + 1);
  return `${target.slice(0, place)}${chance.pick(TARGET_PIECES)}${target.slice(place)}`;
}

function chunked(chance: Chance, body: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let start = 0; start < body.length; ) {
    const part = body.subarray(start, start + 1 + chance.below(40));
    const size = chance.oneIn(12)
      ? chance.pick(['-1', '0x5', 'fffffffff', '', '5 ', '3;a=b'])
      : part.length.toString(16);
    parts.push(latin1(`${size}\r\n`), part, latin1('\r\n'));
    start += part.length;
  }
  return joinBytes(...parts, latin1('0\r\n\r\n'));
}

function lengthOf(body: Uint8Array, off = 0): string {
  return `content-length: ${body.length + off}`;
}

function encode({ method, target, host, headers, body }: Draft): Uint8Array {
  const lines = [`${method} ${target} HTTP/1.1`, `host: ${host}`, ...headers, '', ''];
  return joinBytes(latin1(lines.join('\r\n')), body);
}

function latin1(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}
