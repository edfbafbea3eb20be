import { describe, expect, test } from 'vitest';
import { Message } from '../../lib/client/message.ts';
import { encodeMessage } from '../../lib/client/outgoing-message.ts';
import { decodeRecord } from '../../lib/wire/record.ts';
import { VarintReader } from '../../lib/wire/varint.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const place = { offset: 1, timestamp: 2 };
const messageOf = (parts: object) =>
  new Message(place, { body: utf8(''), contentType: 'text/plain', ...parts });

describe('a message', () => {
  test('P10: gives its body as text and parsed', () => {
    const message = messageOf({ body: utf8('{"a":[1]}') });

    expect(message.text()).toBe('{"a":[1]}');
    expect(message.json()).toEqual({ a: [1] });
  });

  test('P10: does not pass off other bytes as text', () => {
    expect(() => messageOf({ body: Uint8Array.of(0xff) }).text()).toThrow(TypeError);
    expect(messageOf({ body: utf8('\u{feff}x') }).text()).toBe('\u{feff}x');
  });

  test('P10: names headers by their text, also right after a look-alike', () => {
    // With an object of that shape parsed before, the parser of V8 takes the second name for its own.
    JSON.parse('{"d":1,"\\\\u0078-":[]}');
    const { headers, headersText } = messageOf({
      headers: utf8('{"d":1,"\\u0078-death":[]}'),
    });

    expect(Object.keys(headers)).toEqual(['d', 'x-death']);
    expect(headersText).toBe('{"d":1,"\\u0078-death":[]}');
  });

  test('P10: may have headers of any name', () => {
    const { headers } = messageOf({ headers: utf8('{"__proto__":{"a":1},"toString":2}') });

    expect(Object.entries(headers)).toEqual([
      ['__proto__', { a: 1 }],
      ['toString', 2],
    ]);
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype);
  });

  test('P10: has empty headers and properties when it has none', () => {
    const { headers, headersText, properties, key, routingKey } = messageOf({});

    expect([headers, headersText, properties, key, routingKey]).toEqual([
      {},
      '{}',
      {},
      undefined,
      undefined,
    ]);
  });
});

test.each([
  ['JSON', { json: { a: 1 } }, ['{"a":1}', 'application/json']],
  ['text', { text: 'ü' }, ['ü', 'text/plain; charset=utf-8']],
  ['bytes', { body: utf8('x') }, ['x', 'application/octet-stream']],
  ['a type of its own', { text: '[1.0]', contentType: 'a/json' }, ['[1.0]', 'a/json']],
])('P10: what is published as %s comes back', (_what, outgoing, expected) => {
  const extras = { key: 'k', routingKey: 'r', headers: { h: 1 }, properties: { type: 't' } };
  const encoded = encodeMessage({ ...outgoing, ...extras });
  const message = new Message(place, decodeRecord(new VarintReader(encoded)));

  expect([message.text(), message.contentType]).toEqual(expected);
  expect(message).toMatchObject(extras);
});

test('a body is given once', () => {
  const both = { text: 'a', json: 1 };

  expect(() => encodeMessage(both)).toThrow('exactly one');
  expect(() => encodeMessage(Object())).toThrow('exactly one');
});
