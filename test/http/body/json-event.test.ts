import { describe, expect, test } from 'vitest';
import { parseJsonEvent, parseJsonEvents } from '../../../lib/http/body/json-event.ts';
import { utf8 } from '../../support/publish-formats.ts';
import { storedRecords } from '../../support/stored-records.ts';

const REQUIRED = '"specversion":"1.0","id":"1","source":"/s","type":"t"';
const HEADERS = '{"ce-id":"1","ce-source":"/s","ce-specversion":"1.0","ce-type":"t"}';

/** What is stored for an event with these members beside the required ones. */
function stored(members: string) {
  return storedRecords(parseJsonEvent(utf8(`{${REQUIRED}${members && `,${members}`}}`)))[0];
}

const withHeader = (header: string) => `${HEADERS.slice(0, -1)},${header}}`;

describe('data', () => {
  test.each<[string, string, string]>([
    ['"data": {"a" : 1.10, "a":2 }', '{"a" : 1.10, "a":2 }', 'application/json'],
    ['"data":123456789012345678901234567890', '123456789012345678901234567890', 'application/json'],
    ['"data":"a\\u0062"', '"a\\u0062"', 'application/json'],
    ['"data":null', 'null', 'application/json'],
    ['"data":[ ] ,"datacontenttype":"application/vnd.x+json"', '[ ]', 'application/vnd.x+json'],
    ['"datacontenttype":"text/json","data":"a"', '"a"', 'text/json'],
    ['"datacontenttype":null,"data":1', '1', 'application/json'],
    ['"data":"a\\r\\n\\u00e9","datacontenttype":"text/plain"', 'a\r\n\xc3\xa9', 'text/plain'],
    [
      '"datacontenttype":"application/xml","data":"<a b=\\"c\\"/>"',
      '<a b="c"/>',
      'application/xml',
    ],
    ['"data_base64":"AP+A"', '\x00\xff\x80', 'application/octet-stream'],
    ['"data_base64":"AP\\/\\u002b","datacontenttype":"image/png"', '\x00\xff\xfe', 'image/png'],
    ['"data_base64":null,"data":1', '1', 'application/json'],
    ['', '', 'application/json'],
    ['"data_base64":null', '', 'application/json'],
    ['"datacontenttype":"image/png"', '', 'image/png'],
  ])('CE3: of %s is stored as %j, %s', (members, body, contentType) => {
    expect(stored(members)).toEqual({ body, contentType, headers: HEADERS });
  });

  test.each([
    ['"datacontenttype":"image/png","data":"a"', 'a', 'text'],
    ['"datacontenttype":"text/plain","data":""', '', 'text'],
    ['"datacontenttype":"text/plain","data_base64":"YQ=="', 'a', 'base64'],
    ['"datacontenttype":"application/json","data_base64":"MQ=="', '1', 'base64'],
    ['"datacontenttype":"image/png","data_base64":""', '', 'base64'],
  ])('CE3: of %s is %j, and its form is remembered', (members, body, form) => {
    expect(stored(members)).toMatchObject({
      body,
      headers: `{"ce-data":"${form}",${HEADERS.slice(1)}`,
    });
  });

  test('CE3: that is JSON counts as parsed, data that is missing does not', () => {
    const checked = (members: string) =>
      parseJsonEvent(utf8(`{${REQUIRED}${members}}`)).built.batch.jsonChecked;

    expect([checked(',"data":1'), checked(''), checked(',"data_base64":"YQ=="')]).toEqual([
      true,
      false,
      true,
    ]);
  });
});

describe('attributes', () => {
  test.each([
    ['"x":5', '"ce-x":5'],
    ['"x":-0', '"ce-x":0'],
    ['"x":true', '"ce-x":true'],
    ['"x":""', '"ce-x":""'],
    ['"x":" \\u00e9\\ud83d\\ude00\\/\\"\\\\ "', '"ce-x":" é\u{1f600}/\\"\\\\ "'],
    ['"z":"1","x":"2"', '"ce-x":"2","ce-z":"1"'],
  ])('CE3: of %s are the headers %s', (members, header) => {
    expect(stored(members)?.headers).toBe(withHeader(header));
  });

  test('CE3: partitionkey is the key, and null is no attribute', () => {
    expect(stored('"partitionkey":"ä","subject":null,"x":null')).toEqual({
      body: '',
      contentType: 'application/json',
      key: 'ä',
      headers: HEADERS,
    });
  });

  test('CE3: white space and the order of members change nothing', () => {
    const source = '\n{ "type" :\t"t","source":"/s" ,"id":"1",\r\n"specversion":"1.0" } ';

    expect(storedRecords(parseJsonEvent(utf8(source)))[0]?.headers).toBe(HEADERS);
  });

  /** V8 13.6 would take this `source` for the name that begins so, see `batch-builder.test.ts`. */
  test('CE2: an escaped name is not mistaken for one that was parsed before', () => {
    JSON.parse('{"specversion":"1.0","id":"1","\\\\u0073":"/s","type":"t"}');
    const source = '{"specversion":"1.0","id":"1","\\u0073ource":"/s","type":"t"}';

    expect(storedRecords(parseJsonEvent(utf8(source)))[0]?.headers).toBe(HEADERS);
  });
});

describe('is refused', () => {
  test.each([
    ['"id":"2"', 'id'],
    ['"\\u0069d":"2"', 'id'],
    ['"x":1,"x":1', 'x'],
    ['"data":1,"data":1', 'data'],
    ['"data_base64":"","data_base64":""', 'data_base64'],
    ['"data":1,"data_base64":"YQ=="', 'data_base64'],
    ['"data":null,"data_base64":"YQ=="', 'data_base64'],
    ['"data_base64":"!!"', 'data_base64'],
    ['"data_base64":"YQ"', 'data_base64'],
    ['"data_base64":1', 'data_base64'],
    ['"datacontenttype":"text/plain","data":{}', 'data'],
    ['"datacontenttype":"text/plain","data":null', 'data'],
    ['"datacontenttype":"text/plain","data":"\\ud800"', 'data'],
    ['"datacontenttype":"text"', 'datacontenttype'],
    ['"x":1.0', 'x'],
    ['"x":1e3', 'x'],
    ['"x":2147483648', 'x'],
    ['"x":9007199254740993', 'x'],
    ['"x":{}', 'x'],
    ['"x":[]', 'x'],
    ['"x":"\\n"', 'x'],
    ['"x":"\\ud800"', 'x'],
    ['"X":1', 'X'],
    ['"comexample_a":1', 'comexample_a'],
    ['"data ":1', 'data '],
    ['"time":"now"', 'time'],
    ['"subject":""', 'subject'],
    ['"dataschema":"/relative"', 'dataschema'],
    ['"partitionkey":5', 'partitionkey'],
    ['"":""', ''],
    [`"${'x'.repeat(100)}-":1`, 'x'.repeat(64)],
  ])('CE2: %s', (members, name) => {
    expect(() => stored(members)).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: { field: `event.${name}` } }),
    );
  });

  test.each(['specversion', 'id', 'source', 'type'])('CE2: without %s, or with null', (name) => {
    const missing = expect.objectContaining({
      code: 'invalid_request',
      details: { field: `event.${name}` },
      message: `event.${name} is missing: every event has one`,
    });
    const others = REQUIRED.replace(new RegExp(`"${name}":"[^"]*",?`), '').replace(/,$/, '');

    expect(() => parseJsonEvent(utf8(`{${others}}`))).toThrow(missing);
    expect(() => parseJsonEvent(utf8(`{${others},"${name}":null}`))).toThrow(missing);
  });

  test.each(['', '{', '[]', '1', 'null', `[{${REQUIRED}}]`])('CE1: a body of %j', (body) => {
    expect(() => parseJsonEvent(utf8(body))).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: { field: 'the body' } }),
    );
  });
});

describe('a batch', () => {
  test('CE1: is one message for each event, in order', () => {
    const events = ['1', '2', '3'].map((data) => `{${REQUIRED},"data":${data}}`);

    expect(storedRecords(parseJsonEvents(utf8(`[ ${events.join(' ,\n')} ]`)))).toEqual(
      ['1', '2', '3'].map((body) => ({ body, contentType: 'application/json', headers: HEADERS })),
    );
  });

  test.each([
    ['[1]', 'events[0]'],
    [`[{${REQUIRED}},null]`, 'events[1]'],
    [`[{${REQUIRED}},[]]`, 'events[1]'],
    [`[{${REQUIRED}},{${REQUIRED}},{${REQUIRED},"x":1.5}]`, 'events[2].x'],
    [`[{${REQUIRED}},{"specversion":"1.0"}]`, 'events[1].id'],
    ['[]', 'messages'],
    [`{${REQUIRED}}`, 'the body'],
    ['', 'the body'],
  ])('CE1 CE2: %s is refused by %s', (body, field) => {
    expect(() => parseJsonEvents(utf8(body))).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: { field } }),
    );
  });
});
