import { describe, expect, test } from 'vitest';
import { FilterHeaders } from '../../../lib/core/filter/filter-headers.ts';

const read = (text: string) => new FilterHeaders(new Uint8Array(Buffer.from(text)));
const parse = (text: string) => {
  const headers = read(text);
  const [values, point] = [headers.values(), headers.point()];
  return { ...(values && { values }), ...(point && { point }) };
};

describe('filter values are', () => {
  test.each([
    ['{"x-stream-filter-value":"north"}', ['north']],
    ['{"x-stream-filter-value":"a,b"}', ['a', 'b']],
    ['{"x-stream-filter-value":" a , b"}', [' a ', ' b']],
    ['{"x-stream-filter-value":"a,,"}', ['a', '', '']],
    ['{"x-stream-filter-value":""}', ['']],
    ['{"a":1,\n "x-stream-filter-value" : "\\u00e9"}', ['é']],
    ['{"x-stream-filter-v\\u0061lue":"escaped"}', ['escaped']],
    ['{"x-stream-filter-value":"a","x-stream-filter-value":"b"}', ['b']],
  ])('those of %s', (text, values) => {
    expect(parse(text)).toEqual({ values });
  });

  test.each([
    '{}',
    '{"a":"x-stream-filter-value"}',
    '{"a":{"x-stream-filter-value":"nested"}}',
    '{"x-stream-filter-values":"north"}',
    '{"X-Stream-Filter-Value":"north"}',
    '{"x-stream-filter-value":7}',
    '{"x-stream-filter-value":null}',
    '["x-stream-filter-value"]',
    '"x-stream-filter-value"',
    'null \\',
    'x-stream-filter-value',
    '',
  ])('none in %s', (text) => {
    expect(parse(text)).toEqual({});
  });
});

describe('a place is', () => {
  const at = (lat: string, lon: string) => parse(`{"x-geo-lat":${lat},"x-geo-lon":${lon}}`);

  test.each([
    ['48.8566', '2.3522', { lat: 48.8566, lon: 2.3522 }],
    ['"48.8566"', '"-2.5"', { lat: 48.8566, lon: -2.5 }],
    ['-90', '180', { lat: -90, lon: 180 }],
    ['"007"', '1e1', { lat: 7, lon: 10 }],
  ])('at %s, %s', (lat, lon, point) => {
    expect(at(lat, lon)).toEqual({ point });
  });

  test.each([
    ['90.1', '0'],
    ['0', '-180.5'],
    ['1e999', '0'],
    ['"1e1"', '0'],
    ['" 1"', '0'],
    ['"+1"', '0'],
    ['"1."', '0'],
    ['".5"', '0'],
    ['""', '0'],
    ['"1\\n"', '0'],
    ['true', '0'],
    ['[1]', '0'],
    ['null', '0'],
  ])('none at %s, %s', (lat, lon) => {
    expect(at(lat, lon)).toEqual({});
  });

  test('none of which one coordinate is missing', () => {
    expect(parse('{"x-geo-lat":1}')).toEqual({});
    expect(parse('{"x-geo-lon":1}')).toEqual({});
  });

  test('beside filter values', () => {
    const text = '{"x-geo-lat":1,"x-geo-lon":2,"x-stream-filter-value":"a"}';

    expect(parse(text)).toEqual({ values: ['a'], point: { lat: 1, lon: 2 } });
  });
});

describe('a header equals a text', () => {
  const text = (value: string) => `{"b":{"a":7},"a":${value},"c":[{"a":8}]}`;

  test.each([
    ['"x"', 'x'],
    ['""', ''],
    ['1', '1'],
    ['1.0', '1.0'],
    ['-0', '-0'],
    ['1e999', '1e999'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['true', 'true'],
    ['null', 'null'],
    ['1,"a":2', '2'],
  ])('%s as %s', (value, same) => {
    expect(read(text(value)).equals('a', same)).toBe(true);
  });

  test.each([
    ['"x"', 'X'],
    ['1.0', '1'],
    ['1', '1.0'],
    ['123456789012345678901234567890', '123456789012345678901234567891'],
    ['[1]', '[1]'],
    ['{"a":1}', '{"a":1}'],
    ['{"a":1}', '[object Object]'],
    ['1,"a":2', '1'],
    ['9', '7'],
    ['9', '8'],
  ])('%s not as %s', (value, other) => {
    expect(read(text(value)).equals('a', other)).toBe(false);
  });

  test('none that is absent, of whatever object', () => {
    expect(read('{}').equals('a', 'undefined')).toBe(false);
    expect(read('{}').equals('toString', String(Object.prototype.toString))).toBe(false);
    expect(read('[1]').equals('0', '1')).toBe(false);
  });
});
