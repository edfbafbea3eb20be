import { describe, expect, test } from 'vitest';
import { hasEventHeaders, parseBinaryEvent } from '../../../lib/http/body/binary-event.ts';
import type { PublishQuery } from '../../../lib/http/body/publish-options.ts';
import { utf8 } from '../../support/publish-formats.ts';
import { type StoredRecord, storedRecords } from '../../support/stored-records.ts';

const REQUIRED = { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': '/s', 'ce-type': 't' };

interface Sent {
  readonly headers?: { readonly [name: string]: string };
  readonly contentType?: string;
  readonly body?: Uint8Array;
  readonly query?: PublishQuery;
}

function stored({ headers, contentType = '', body = utf8(''), query = {} }: Sent) {
  const all = new Headers({ ...REQUIRED, ...headers });
  return storedRecords(parseBinaryEvent(body, { contentType, headers: all, query }))[0];
}

function header(name: string, value: string): unknown {
  const record: StoredRecord | undefined = stored({ headers: { [name]: value } });
  return JSON.parse(record?.headers ?? '')[name];
}

/** As its bytes come out of HTTP. */
const sentAsUtf8 = (text: string) => Buffer.from(text).toString('latin1');

describe('a header', () => {
  test.each([
    ['Euro%20%E2%82%AC%20%F0%9F%98%80', 'Euro € \u{1f600}'],
    ['%e2%82%ac', '€'],
    ['%41', 'A'],
    ['%2541', '%41'],
    ['%22a%22', '"a"'],
    ['"a b"', 'a b'],
    ['"a\\"b\\\\c"', 'a"b\\c'],
    ['"%41"', 'A'],
    ['""', ''],
    ['', ''],
    // Not as the binding wants it, but nothing else can be meant.
    ['"a', '"a'],
    ['a"b"', 'a"b"'],
    ['100%', '100%'],
    ['%zz%4', '%zz%4'],
    ['a b', 'a b'],
    [sentAsUtf8('ä\u{1f600}'), 'ä\u{1f600}'],
    ['\xe4', 'ä'],
    ['5', '5'],
    ['true', 'true'],
  ])('CE5: of %j is the text %j', (sent, text) => {
    expect(header('ce-x', sent)).toBe(text);
  });

  test.each(['%C0%A0', '%ff', 'a%E2%82', '%ED%A0%80', '%00', '%0A', '%7f', '%EF%BF%BF'])(
    'CE2 CE5: of %s is refused',
    (value) => {
      expect(() => header('ce-x', value)).toThrow(
        expect.objectContaining({ code: 'invalid_request', details: { field: 'ce-x' } }),
      );
    },
  );

  test.each([
    ['ce-a_b', 'a'],
    ['ce-', 'a'],
    ['ce-data', 'a'],
    ['ce-datacontenttype', 'text/plain'],
    ['ce-time', 'now'],
    ['ce-specversion', '0.3'],
    ['ce-source', ''],
    ['varve-header-x', 'a'],
  ])('CE2 CE5: %s: %s is refused', (name, value) => {
    expect(() => stored({ headers: { [name]: value } })).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: { field: name } }),
    );
  });
});

describe('the body', () => {
  const headers = '{"ce-id":"1","ce-source":"/s","ce-specversion":"1.0","ce-type":"t"}';

  test.each<[string, string, string]>([
    ['application/json', ' {"a" : 1.10}\n', 'application/json'],
    ['text/plain; charset=iso-8859-1', '\xe4', 'text/plain; charset=iso-8859-1'],
    ['image/png', '\x00\xff', 'image/png'],
    ['application/x-ndjson', '1\n2\n', 'application/x-ndjson'],
    ['application/json', '', 'application/json'],
    ['', 'a', 'text/plain; charset=utf-8'],
    ['', '', 'application/json'],
  ])('CE5: of type %j is stored as it is: %j', (contentType, body, type) => {
    const sent = { contentType, body: new Uint8Array(Buffer.from(body, 'latin1')) };

    expect(stored(sent)).toEqual({ body, contentType: type, headers });
  });

  test.each([
    ['application/json', utf8('text without quotes'), 'the body'],
    ['text/json', utf8('{'), 'the body'],
    ['application/json', Uint8Array.of(0x22, 0xff, 0x22), 'the body'],
    ['json', utf8('1'), 'Content-Type'],
  ] as const)('CE2 CE5: is refused: %s %o', (contentType, body, field) => {
    expect(() => stored({ contentType, body })).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: { field } }),
    );
  });
});

test.each(['specversion', 'id', 'source', 'type'])('CE2: without ce-%s it is refused', (name) => {
  const headers = new Headers(REQUIRED);
  headers.delete(`ce-${name}`);

  expect(hasEventHeaders(headers)).toBe(true);
  expect(() => parseBinaryEvent(utf8(''), { contentType: '', headers, query: {} })).toThrow(
    expect.objectContaining({ details: { field: `ce-${name}` } }),
  );
});

test('CE1: a request without any of the four is none', () => {
  expect(hasEventHeaders(new Headers({ 'ce-time': 'a', 'ce-x': 'b', id: 'c' }))).toBe(false);
});

test('CE5: the key is given as attribute or as parameter, once', () => {
  const partitionkey = { 'ce-partitionkey': 'a' };

  expect(stored({ headers: partitionkey })).toMatchObject({ key: 'a' });
  expect(stored({ query: { key: 'b', routing_key: 'c' } })).toMatchObject({
    key: 'b',
    routingKey: 'c',
  });
  for (const sent of [{ headers: partitionkey, query: { key: 'a' } }, { query: { key: '' } }]) {
    expect(() => stored(sent)).toThrow(expect.objectContaining({ details: { field: 'key' } }));
  }
});
