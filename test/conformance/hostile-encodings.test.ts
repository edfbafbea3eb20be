/** Compressed bodies that mean harm, or that a decoder takes for less than they are. */
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { expect } from 'vitest';
import { test } from '../support/api-test.ts';
import { createStream, nextOffset, readTexts, STREAM, told } from '../support/publish-steps.ts';

const MIB = 1024 * 1024;
const ENCODE = { gzip: gzipSync, zstd: zstdCompressSync };
const ENCODINGS = ['gzip', 'zstd'] as const;

const of = (encoding: (typeof ENCODINGS)[number], text: string) =>
  ENCODE[encoding](Buffer.from(text));
const zeros = (size: number) => Buffer.alloc(size);
/** A frame that decoders are to pass over. */
const SKIPPABLE = Uint8Array.of(0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 9);

test.for(
  ENCODINGS.flatMap(
    (encoding) =>
      [
        [encoding, 'parts', [of(encoding, 'ab'), of(encoding, 'cd')], 'abcd'],
        [encoding, 'a part and none', [of(encoding, 'ab'), of(encoding, '')], 'ab'],
        [
          encoding,
          'a thousand parts',
          Array<Uint8Array>(1_000).fill(of(encoding, 'a')),
          'a'.repeat(1_000),
        ],
      ] as const,
  ),
)('P10: all of a body in %s is stored: %s', async ([encoding, , parts, text], { api }) => {
  await createStream(api);
  const headers = { 'content-encoding': encoding, 'content-type': 'text/plain' };
  const answer = await api.call(`POST ${STREAM}/messages`, { body: Buffer.concat(parts), headers });

  expect(answer.status).toBe(200);
  expect(await readTexts(api)).toEqual([text]);
});

test('P10: frames that are to be passed over are no end of a body', async ({ api }) => {
  await createStream(api);
  const body = Buffer.concat([SKIPPABLE, of('zstd', 'ab'), SKIPPABLE, of('zstd', 'cd')]);
  await api.call(`POST ${STREAM}/messages`, { body, headers: { 'content-encoding': 'zstd' } });

  expect(await readTexts(api)).toEqual(['abcd']);
});

test('P10: what was compressed twice is stored compressed once', async ({ api }) => {
  await createStream(api);
  const inner = gzipSync(zeros(64 * MIB));
  const headers = { 'content-encoding': 'gzip', 'content-type': 'application/gzip' };
  await api.call(`POST ${STREAM}/messages`, { body: gzipSync(inner), headers });

  expect((await api.call(`GET ${STREAM}`)).json()).toMatchObject({ next: 1, bytes: inner.length });
});

const notEncoded = { status: 400, code: 'invalid_request', field: 'Content-Encoding' };
const tooLarge = { status: 413, code: 'request_too_large', limit: 4 * MIB };

test.for([
  ['gzip', 'junk behind it', [of('gzip', 'a'), Buffer.from('junk')], notEncoded],
  ['gzip', 'zeros behind it', [of('gzip', 'a'), zeros(10)], notEncoded],
  ['gzip', 'a zero between parts', [of('gzip', 'a'), zeros(1), of('gzip', 'b')], notEncoded],
  ['gzip', 'half of another part', [of('gzip', 'a'), of('gzip', 'b').subarray(0, 12)], notEncoded],
  ['zstd', 'junk behind it', [of('zstd', 'a'), Buffer.from('junk')], notEncoded],
  ['zstd', 'zeros behind it', [of('zstd', 'a'), zeros(10)], notEncoded],
  ['zstd', 'half of another part', [of('zstd', 'a'), of('zstd', 'b').subarray(0, 8)], notEncoded],
  [
    'zstd',
    'more parts than anybody needs',
    Array<Uint8Array>(1_001).fill(of('zstd', '')),
    notEncoded,
  ],
  ['gzip', '256 MiB', [gzipSync(zeros(256 * MIB))], tooLarge],
  ['zstd', '256 MiB', [zstdCompressSync(zeros(256 * MIB))], tooLarge],
  ['gzip', '5 MiB in parts', Array<Uint8Array>(5).fill(gzipSync(zeros(MIB))), tooLarge],
  ['zstd', '5 MiB in parts', Array<Uint8Array>(5).fill(zstdCompressSync(zeros(MIB))), tooLarge],
  [
    'zstd',
    'a bomb behind a message',
    [of('zstd', 'a'), zstdCompressSync(zeros(4 * MIB))],
    tooLarge,
  ],
] as const)('P6 P10: %s is refused with %s', async ([encoding, , parts, refusal], { api }) => {
  await createStream(api);
  const headers = { 'content-encoding': encoding, 'content-type': 'text/plain' };
  const body = Buffer.concat(parts);

  expect(told(await api.call(`POST ${STREAM}/messages`, { body, headers }))).toMatchObject(refusal);
  expect(await nextOffset(api)).toBe(0);
  expect((await api.call(`POST ${STREAM}/messages`, { body: 'after' })).status).toBe(200);
});
