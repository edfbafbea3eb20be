import { describe, expect, test } from 'vitest';
import { valueKey } from '../../lib/core/log/deduplication.ts';
import { messageValues } from '../../lib/format/message-values.ts';
import { encodeRecords } from '../../lib/wire/record.ts';

/** One message for each text of headers; undefined has none. */
function valuesOf(...texts: readonly (string | undefined)[]) {
  const records = texts.map((text) => ({
    body: new Uint8Array(3),
    contentType: 'image/png',
    ...(text !== undefined && { headers: new Uint8Array(Buffer.from(text)) }),
  }));
  return messageValues({ count: records.length, records: encodeRecords(records) }, 'h');
}

const keyOf = (headers: string) => {
  const values = valuesOf(headers);
  return values.kind === 'ok' ? values.messages[0]?.value : values;
};

describe('the value of a message', () => {
  test.each([
    ['{"h":"A"}', 'A'],
    ['{ "h" : "A" }', 'A'],
    ['{"\\u0068":"\\u0041"}', 'A'],
    ['{"h":""}', ''],
    ['{"h":1}', '1'],
    ['{"h":"1"}', '1'],
    ['{"h":1.0}', '1.0'],
    ['{"h":12345678901234567891}', '12345678901234567891'],
    ['{"h":true}', 'true'],
    ['{"h":"\\ud800"}', '\ud800'],
    ['{"h":"A","h":"B"}', 'B'],
    ['{"x":{"h":"A"},"h":"B"}', 'B'],
  ])('M2: of %s is the text %j', (headers, text) => {
    expect(keyOf(headers)).toBe(valueKey('h', text));
  });

  test.each(['{"h":null}', '{"h":{}}', '{"h":["A"]}', '{"H":"A"}', '{"x-h":"A"}', '{}'])(
    'M2: is none in %s',
    (headers) => {
      expect(valuesOf(headers)).toEqual({ kind: 'ok', messages: [] });
    },
  );

  test('M2 M4: is told with its place, its time to live and the bytes of its message', () => {
    expect(
      valuesOf(undefined, '{"h":"A"}', '{"x-cache-ttl":7}', '{"h":"B","x-cache-ttl":"9"}'),
    ).toEqual({
      kind: 'ok',
      messages: [
        { index: 1, value: valueKey('h', 'A'), bytes: 12 },
        { index: 3, value: valueKey('h', 'B'), ttlMs: 9, bytes: 30 },
      ],
    });
  });

  test.each(['"abc"', '-1', '1.5', 'true', 'null', '{}', '[]', '""', '"1.0"'])(
    'M4: a time to live of %s is refused, whether there is a value or not',
    (ttl) => {
      expect(valuesOf(undefined, `{"x-cache-ttl":${ttl}}`)).toMatchObject({
        kind: 'reject',
        index: 1,
        field: 'headers.x-cache-ttl',
      });
    },
  );
});
