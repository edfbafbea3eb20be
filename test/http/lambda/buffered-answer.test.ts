/** Answers as a function returns them: as text or as base64, whichever is shorter in JSON. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BUFFERED_BODY_BYTES_MAX, bufferAnswer } from '../../../lib/http/lambda/buffered-answer.ts';

const answerOf = (body: string | Uint8Array<ArrayBuffer> | null, init?: ResponseInit) =>
  bufferAnswer(new Response(body, init));

test.each([
  ['text', 'a ä', { body: 'a ä', isBase64Encoded: false }],
  ['no UTF-8', new Uint8Array([255]), { body: '/w==', isBase64Encoded: true }],
  ['quotes, two bytes each', '"'.repeat(6), { body: 'IiIiIiIi', isBase64Encoded: true }],
  ['nothing', null, { body: '', isBase64Encoded: false }],
] as const)('%s', async (_kind, body, encoded) => {
  expect(await answerOf(body)).toMatchObject(encoded);
});

test('the status and the headers are those of the answer', async () => {
  const init = { status: 404, headers: { 'content-type': 'application/problem+json' } };

  expect(await answerOf('{}', init)).toMatchObject({ statusCode: 404, headers: init.headers });
});

test('LR4: no body is longer in JSON than in base64, and all bytes come back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), async (bytes) => {
      const { body, isBase64Encoded } = await answerOf(new Uint8Array(bytes));

      expect(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')).toEqual(Buffer.from(bytes));
      expect(Buffer.byteLength(JSON.stringify(body)) - 2).toBeLessThanOrEqual(
        Math.ceil(bytes.length / 3) * 4,
      );
    }),
  );
});

test('LR4: the largest body has 5.5 MiB, in the worst text there is', async () => {
  const { body } = await answerOf('\u0001'.repeat(BUFFERED_BODY_BYTES_MAX));

  expect(Buffer.byteLength(JSON.stringify(body)) - 2).toBe(5.5 * 1024 * 1024);
});
