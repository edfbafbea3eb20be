import { expect, test } from 'vitest';
import { BatchBuilder } from '../../lib/services/batch-builder.ts';
import { decodeRecord } from '../../lib/wire/record.ts';
import { VarintReader } from '../../lib/wire/varint.ts';

/** The headers that are stored for these, as a parser of this process reads them. */
function stored(text: string): string | undefined {
  const builder = new BatchBuilder();
  const headers = { text: Buffer.from(text), parsed: JSON.parse(text) };
  const body = new Uint8Array();
  builder.add({ body, contentType: 'text/plain', isJson: false, headers }, 'the message');
  const record = decodeRecord(new VarintReader(builder.finish().batch.records));
  return record.headers && Buffer.from(record.headers).toString();
}

test('P10: a name that is written with escapes is still that name', () => {
  expect(stored('{"a":1,"\\u0078-death":[]}')).toBe('{"a":1}');
});

/**
 * V8 13.6 takes a name for that of an earlier object of the same shape when the earlier name is spelled
 * as this one's source begins: here a name that really begins with a backslash.
 */
test('P10: an escaped name is not mistaken for one that was parsed before', () => {
  JSON.parse('{"c":1,"\\\\u0078-":[]}');

  expect(stored('{"c":1,"\\u0078-death":[]}')).toBe('{"c":1}');
});
