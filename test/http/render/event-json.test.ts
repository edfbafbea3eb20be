import { describe, expect, test } from 'vitest';
import { ByteWriter } from '../../../lib/http/render/byte-writer.ts';
import { writeEventArray } from '../../../lib/http/render/event-json.ts';
import { encodeRecords, type WireRecord } from '../../../lib/wire/record.ts';
import { at } from '../../support/batches.ts';
import { utf8 } from '../../support/publish-formats.ts';

const TIME_MS = 1_795_946_400_123;

function written(records: readonly Partial<WireRecord>[], options: object = {}): string {
  const whole = records.map((record) => ({
    body: utf8(''),
    contentType: 'text/plain; charset=utf-8',
    ...record,
  }));
  const batch = {
    count: whole.length,
    records: encodeRecords(whole),
    bytes: 0,
    jsonChecked: false,
  };
  const writer = new ByteWriter();
  const form = { base64: false, stream: 'a/b ä', streamId: 'id', ...options };
  writeEventArray(writer, [{ ...batch, base: at(7), timeMs: TIME_MS }], form);
  return Buffer.from(writer.finish()).toString();
}

const EVENT = '"ce-specversion":"1.0","ce-id":"1","ce-source":"/s","ce-type":"t"';
const READ = '"specversion":"1.0","id":"1","source":"/s","type":"t"';
const PLAIN =
  '"specversion":"1.0","id":"id/7","source":"/v1/streams/a%2Fb%20%C3%A4","time":"2026-11-29T10:00:00.123Z","type":"varve.message"';
const TEXT = '"datacontenttype":"text/plain; charset=utf-8"';

const event = (more = ''): Partial<WireRecord> => ({ headers: utf8(`{${EVENT}${more}}`) });

describe('an event', () => {
  test.each<[string, Partial<WireRecord>, string]>([
    ['without more', event(), `${READ},${TEXT}`],
    ['with text', { ...event(), body: utf8('"\n\ufeff') }, `${READ},${TEXT},"data":"\\"\\n\ufeff"`],
    [
      'with JSON, verbatim',
      { ...event(), body: utf8(' {"a" : 1.10,"a":\n2}'), contentType: 'application/json' },
      `${READ},"datacontenttype":"application/json","data": {"a" : 1.10,"a":\n2}`,
    ],
    [
      'with bytes',
      { ...event(), body: Uint8Array.of(0, 255), contentType: 'image/png' },
      `${READ},"datacontenttype":"image/png","data_base64":"AP8="`,
    ],
    [
      'with what is declared to be JSON and is none',
      { ...event(), body: utf8('bad'), contentType: 'application/json' },
      `${READ},"datacontenttype":"application/json","data_base64":"YmFk"`,
    ],
    [
      'with its form',
      { ...event(',"ce-data":"text"'), body: utf8('a'), contentType: 'image/png' },
      `${READ},"datacontenttype":"image/png","data":"a"`,
    ],
    ['with empty text', event(',"ce-data":"text"'), `${READ},${TEXT},"data":""`],
    ['with a key', { ...event(), key: utf8('ä"') }, `${READ},"partitionkey":"ä\\"",${TEXT}`],
    [
      'with extensions, verbatim',
      event(',"ce-x":-0,"ce-y":false,"ce-z":"\\u00e9"'),
      `${READ},"x":-0,"y":false,"z":"\\u00e9",${TEXT}`,
    ],
    [
      'with what is no attribute',
      {
        ...event(', "x-geo-lat" : 61.20'),
        routingKey: utf8('q'),
        properties: utf8('{"priority":1}'),
      },
      `${READ},"varvemessage":"{\\"routing_key\\":\\"q\\",\\"headers\\":{\\"x-geo-lat\\":61.20},\\"properties\\":{\\"priority\\":1}}",${TEXT}`,
    ],
    [
      'with an extension of that name',
      { ...event(',"ce-varvemessage":"own"'), routingKey: utf8('q') },
      `${READ},"varvemessage":"own",${TEXT}`,
    ],
    [
      'by a name with escapes',
      { headers: utf8(`{${EVENT.replace('ce-id', '\\u0063e-id')}}`) },
      `${READ},${TEXT}`,
    ],
  ])('CE4: %s', (_name, record, members) => {
    const ordered = `[{${members}}]`;

    expect(written([record])).toBe(ordered);
  });
});

describe('headers of no event', () => {
  test.each([
    ['one is missing', '"ce-specversion":"1.0","ce-id":"1","ce-source":"/s"'],
    ['another version', EVENT.replace('1.0', '0.3')],
    ['a number', EVENT.replace('"1"', '1')],
    ['a source that is none', EVENT.replace('/s', 'a b')],
    ['twice', `${EVENT},"ce-id":"2"`],
    ['twice, once with an escape', `${EVENT},"ce-\\u0069d":"2"`],
    ['a name that is none', `${EVENT},"ce-a_b":"1"`],
    ['a list', `${EVENT},"ce-x":[]`],
    ['null', `${EVENT},"ce-x":null`],
    ['a fraction', `${EVENT},"ce-x":1.0`],
    ['a content type', `${EVENT},"ce-datacontenttype":"a/b"`],
    ['a key', `${EVENT},"ce-partitionkey":"a"`],
    ['a form that is none', `${EVENT},"ce-data":"json"`],
    ['control characters', `${EVENT},"ce-x":"\\n"`],
    ['upper case', EVENT.replace('ce-id', 'CE-ID')],
  ])('CE4 CE6: %s', (_name, members) => {
    const rest = JSON.stringify(`{"headers":{${members}}}`);

    expect(written([{ headers: utf8(`{${members}}`) }])).toBe(
      `[{${PLAIN},"varvemessage":${rest},${TEXT}}]`,
    );
  });
});

describe('another message', () => {
  test.each<[string, Partial<WireRecord>, string]>([
    ['empty', {}, `${PLAIN},${TEXT}`],
    ['text', { body: utf8('ä') }, `${PLAIN},${TEXT},"data":"ä"`],
    ['with a key', { key: utf8('k') }, `${PLAIN},"partitionkey":"k",${TEXT}`],
    [
      'with a key that no attribute can hold',
      { key: utf8('a\n\u0085') },
      `${PLAIN},"varvemessage":"{\\"key\\":\\"a\\\\n\\\\u0085\\"}",${TEXT}`,
    ],
    [
      'with an empty key',
      { key: utf8('') },
      `${PLAIN},"varvemessage":"{\\"key\\":\\"\\"}",${TEXT}`,
    ],
    [
      'with headers that no attribute can hold as they are',
      { headers: utf8('{"a":\t"\u007f\u{10ffff}\ufffe" , "n":1.10}') },
      `${PLAIN},"varvemessage":"{\\"headers\\":{\\"a\\":\\"\\\\u007f\\\\udbff\\\\udfff\\\\ufffe\\",\\"n\\":1.10}}",${TEXT}`,
    ],
  ])('CE6: %s', (_name, record, members) => {
    expect(written([record])).toBe(`[{${members}}]`);
  });

  test('CE6: has an id of its own', () => {
    const ids = JSON.parse(written([{}, event(), {}])).map(({ id }: { id: string }) => id);

    expect(ids).toEqual(['id/7', '1', 'id/9']);
  });
});

test('CE4: all data can be had as base64, none stays none', () => {
  const records = [
    event(),
    { ...event(), body: utf8('a') },
    { body: utf8('1'), contentType: 'application/json' },
    event(',"ce-data":"text"'),
  ];
  const events: object[] = JSON.parse(written(records, { base64: true }));

  expect(
    events.map((read) => ('data_base64' in read ? read.data_base64 : Object.keys(read))),
  ).toEqual([['specversion', 'id', 'source', 'type', 'datacontenttype'], 'YQ==', 'MQ==', '']);
});

test('CE4: no message is an empty array', () => {
  const writer = new ByteWriter();
  writeEventArray(writer, [], { base64: false, stream: 's', streamId: 'id' });

  expect(Buffer.from(writer.finish()).toString()).toBe('[]');
});
