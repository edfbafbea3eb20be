/** Bodies that come compressed, or do not come whole. */
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { expect } from 'vitest';
import { test } from '../support/api-test.ts';
import { createStream, nextOffset, readTexts, STREAM, told } from '../support/publish-steps.ts';

const envelope = JSON.stringify({ messages: [{ text: 'a' }, { text: 'b' }] });
const json = { 'content-type': 'application/json' };

test.for([
  ['gzip', gzipSync(envelope)],
  ['zstd', zstdCompressSync(envelope)],
  ['GZIP', gzipSync(envelope)],
  ['identity', new Uint8Array(Buffer.from(envelope))],
] as const)('P10: a publish may come as %s', async ([encoding, body], { api }) => {
  await createStream(api);
  const headers = { ...json, 'content-encoding': encoding };
  const answer = await api.call(`POST ${STREAM}/messages`, { body, headers });

  expect(told(answer)).toMatchObject({ status: 200, stored: 2 });
  expect(await readTexts(api)).toEqual(['a', 'b']);
});

test.for([
  ['gzip', gzipSync('{"segment_max_bytes":7}')],
  ['zstd', zstdCompressSync('{"segment_max_bytes":7}')],
] as const)('a declaration may come as %s', async ([encoding, body], { api }) => {
  const headers = { ...json, 'content-encoding': encoding };

  expect((await api.call(`PUT ${STREAM}`, { body, headers })).json()).toMatchObject({
    settings: { segment_max_bytes: 7 },
  });
});

test.for(['br', 'deflate', 'gzip, gzip', 'constructor'])(
  'P10: Content-Encoding %s is refused',
  async (encoding, { api }) => {
    await createStream(api);
    const headers = { ...json, 'content-encoding': encoding };

    expect(
      told(await api.call(`POST ${STREAM}/messages`, { body: envelope, headers })),
    ).toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
      field: 'Content-Encoding',
    });
    expect(await nextOffset(api)).toBe(0);
  },
);

test.for([
  ['gzip', 'no such bytes', Buffer.from(envelope)],
  ['gzip', 'a cut end', gzipSync(envelope).subarray(0, -1)],
  [
    'gzip',
    'a wrong checksum',
    gzipSync(envelope).map((byte, index) => (index === 40 ? ~byte : byte)),
  ],
  ['zstd', 'no such bytes', Buffer.from(envelope)],
  ['zstd', 'a cut end', zstdCompressSync(envelope).subarray(0, -1)],
] as const)('P10: broken %s is refused: %s', async ([encoding, , body], { api }) => {
  await createStream(api);
  const headers = { ...json, 'content-encoding': encoding };

  expect(told(await api.call(`POST ${STREAM}/messages`, { body, headers }))).toMatchObject({
    status: 400,
    code: 'invalid_request',
    field: 'Content-Encoding',
    side_effects: 'none',
  });
  expect(await nextOffset(api)).toBe(0);
});
