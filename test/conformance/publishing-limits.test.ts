/** How much one message and one request may hold, in every format and encoding. */
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import type { Api } from '../support/api.ts';
import { test } from '../support/api-test.ts';
import {
  bodyOfSize,
  encodeBatch,
  joined,
  PUBLISH_FORMATS,
  type PublishFormat,
  utf8,
} from '../support/publish-formats.ts';
import { createStream, nextOffset, publish, STREAM, told } from '../support/publish-steps.ts';

const MIB = 1_048_576;
const REQUEST_MAX = 4 * MIB;

const send = (api: Api, body: Uint8Array, headers: { readonly [name: string]: string }) =>
  api.call(`POST ${STREAM}/messages`, { body, headers });

const sendAs = (api: Api, format: PublishFormat, texts: readonly string[]) =>
  send(api, format.encode(texts), { 'content-type': format.type });

describe('a message', () => {
  test.for([
    ['text', (bytes: number) => ({ text: 'x'.repeat(bytes) })],
    ['json', (bytes: number) => ({ json: 'x'.repeat(bytes - 2) })],
    ['base64', (bytes: number) => ({ base64: Buffer.alloc(bytes, 0xff).toString('base64') })],
    ['text and key', (bytes: number) => ({ text: 'x'.repeat(bytes - 3), key: 'key' })],
  ] as const)('P6: has at most 1 MiB: as %s', async ([, message], { api }) => {
    await createStream(api);

    expect((await publish(api, [message(MIB)])).status).toBe(200);
    expect(told(await publish(api, [message(MIB + 1)]))).toMatchObject({
      status: 413,
      code: 'message_too_large',
      field: 'messages[0]',
      limit: MIB,
      actual: MIB + 1,
      detail: expect.stringContaining('message limit'),
      side_effects: 'none',
    });
    expect(await nextOffset(api)).toBe(1);
  });

  test('P6: has at most 1 MiB: as a raw body', async ({ api }) => {
    await createStream(api);
    const type = { 'content-type': 'image/png' };

    expect((await send(api, new Uint8Array(MIB), type)).status).toBe(200);
    for (const bytes of [MIB + 1, 2 * MIB]) {
      expect(told(await send(api, new Uint8Array(bytes), type))).toMatchObject({
        status: 413,
        code: 'message_too_large',
        limit: MIB,
        actual: bytes,
      });
    }
  });

  test.for(PUBLISH_FORMATS.map((format) => [format.name, format] as const))(
    'P1 P6: that is too large is named, and its neighbours are not stored: %s',
    async ([, format], { api }) => {
      await createStream(api);
      const answer = await sendAs(api, format, ['a', 'x'.repeat(MIB - 1), 'b']);

      expect(told(answer)).toMatchObject({
        status: 413,
        code: 'message_too_large',
        field: format.place(1),
        limit: MIB,
        actual: MIB + 1,
      });
      expect(await nextOffset(api)).toBe(0);
    },
  );

  test('P6: has headers of at most 64 KiB', async ({ api }) => {
    await createStream(api);
    const withHeaders = (bytes: number) => ({
      text: 'a',
      headers: { h: 'x'.repeat(bytes - '{"h":""}'.length) },
    });

    expect((await publish(api, [withHeaders(60_000)])).status).toBe(200);
    expect((await publish(api, [withHeaders(65_536)])).status).toBe(200);
    for (const bytes of [65_537, 70_000]) {
      expect(told(await publish(api, [{ text: 'b' }, withHeaders(bytes)]))).toMatchObject({
        status: 413,
        code: 'message_too_large',
        field: 'messages[1].headers',
        limit: 65_536,
        actual: bytes,
      });
    }
    expect(await nextOffset(api)).toBe(2);
  });
});

describe('a request', () => {
  test.for(PUBLISH_FORMATS.map((format) => [format.name, format] as const))(
    'P6: has at most 10 000 messages, and at least one: %s',
    async ([, format], { api }) => {
      await createStream(api);
      const texts = Array.from({ length: 10_000 }, () => '');

      expect(told(await sendAs(api, format, texts))).toMatchObject({ status: 200, end: 10_000 });
      expect(told(await sendAs(api, format, [...texts, '']))).toMatchObject({
        status: 413,
        code: 'too_many_messages',
        limit: 10_000,
      });
      expect(told(await sendAs(api, format, []))).toMatchObject({
        status: 400,
        code: 'invalid_request',
        field: 'messages',
      });
      expect(await nextOffset(api)).toBe(10_000);
    },
  );

  test('P6: counts the messages of all frames of a binary batch', async ({ api }) => {
    await createStream(api);
    const record = { body: utf8('x'), contentType: 'text/plain; charset=utf-8' };
    const frame = encodeBatch(Array.from({ length: 5_000 }, () => record));
    const type = { 'content-type': 'application/vnd.varve.messages' };

    expect((await send(api, joined(frame, frame), type)).json()).toMatchObject({ end: 10_000 });
    const more = joined(frame, frame, encodeBatch([record]));
    expect((await send(api, more, type)).json()).toMatchObject({ code: 'too_many_messages' });
  });

  const encodings = [
    ['plain', (body: Uint8Array) => body, {}],
    ['gzip', gzipSync, { 'content-encoding': 'gzip' }],
    ['zstd', zstdCompressSync, { 'content-encoding': 'zstd' }],
  ] as const;
  const combinations = PUBLISH_FORMATS.flatMap((format) =>
    encodings.map(([name, encode, headers]) => ({ format, encoding: name, encode, headers })),
  );

  test.for(combinations)(
    'P6: has at most 4 MiB, decoded: $format.name $encoding',
    async ({ format, encode, headers }, { api }) => {
      await createStream(api);
      const type = { 'content-type': format.type, ...headers };
      const [fits, exceeds] = [REQUEST_MAX, REQUEST_MAX + 1].map((size) =>
        bodyOfSize(format, size),
      );

      expect([fits?.length, exceeds?.length]).toEqual([REQUEST_MAX, REQUEST_MAX + 1]);
      expect(told(await send(api, encode(fits ?? utf8('')), type))).toMatchObject({ stored: 8 });
      expect(told(await send(api, encode(exceeds ?? utf8('')), type))).toMatchObject({
        status: 413,
        code: 'request_too_large',
        limit: REQUEST_MAX,
        actual: REQUEST_MAX + 1,
      });
      expect(await nextOffset(api)).toBe(8);
    },
  );

  test.for([
    ['gzip', gzipSync(new Uint8Array(16 * MIB))],
    ['zstd', zstdCompressSync(new Uint8Array(16 * MIB))],
  ] as const)(
    'P6: that inflates to 1 GiB is given up at the limit: %s',
    async ([encoding, part], { api }) => {
      await createStream(api);
      // Whoever inflates all of it comes to the broken end, and answers 400.
      const bomb = joined(...Array.from({ length: 64 }, () => part), part.subarray(0, -9));
      const answer = await send(api, bomb, {
        'content-type': 'application/x-ndjson',
        'content-encoding': encoding,
      });

      expect(told(answer)).toMatchObject({
        status: 413,
        code: 'request_too_large',
        limit: REQUEST_MAX,
      });
    },
  );
});
