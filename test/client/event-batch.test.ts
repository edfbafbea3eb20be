import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ClientError } from '../../lib/client/client-error.ts';
import { decodeEventBatch } from '../../lib/client/event-batch.ts';

const decode = (text: string) => decodeEventBatch(new TextEncoder().encode(text));
const batch = (message: string) => `{"messages":[${message}],"next":8,"tail":9}`;
const place = '"offset":7,"timestamp":1';

describe('a message of an event', () => {
  test.each([
    ['json', `{${place},"json": {"a" : 1.0,"a":1}}`, '{"a" : 1.0,"a":1}', 'application/json'],
    ['text', `{${place},"text":"\\u0000ü"}`, '\u0000ü', 'text/plain; charset=utf-8'],
    ['base64', `{${place},"base64":"YQ0K"}`, 'a\r\n', 'application/octet-stream'],
    ['a type', `{${place},"base64":"","content_type":"a/b"}`, '', 'a/b'],
  ])('P10: has its body from %s', (...[, message, text, contentType]) => {
    const { messages, next } = decode(batch(message));

    expect(next).toBe(8);
    expect(messages.map((one) => [one.offset, one.timestamp, one.text(), one.contentType])).toEqual(
      [[7, 1, text, contentType]],
    );
  });

  test('P10: keeps any bytes in base64', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const base64 = Buffer.from(bytes).toString('base64');
        const { messages } = decode(batch(`{${place},"base64":"${base64}"}`));

        expect(messages[0]?.body).toEqual(bytes);
      }),
    );
  });
});

test.each([
  ['no JSON', '<html>'],
  ['no messages', '{"next":8}'],
  ['no next', '{"messages":[]}'],
  ['a message without body', batch(`{${place}}`)],
  ['a message without offset', batch('{"timestamp":1,"json":1}')],
  ['an offset beyond 2^53', batch('{"offset":9007199254740993,"timestamp":1,"json":1}')],
  ['no base64', batch(`{${place},"base64":"?"}`)],
  ['a broken string', batch(`{${place},"text":7x}`)],
])('O17: an event with %s is refused', (_what, text) => {
  expect(() => decode(text)).toThrow(ClientError);
});
