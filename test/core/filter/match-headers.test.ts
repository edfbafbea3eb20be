import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FilterPart, MessageFilter } from '../../../lib/core/filter/filter.ts';
import { createMatcher } from '../../../lib/core/filter/match-headers.ts';
import { parseFilter } from '../../../lib/core/filter/parse-filter.ts';

const bytes = (text: string) => new Uint8Array(Buffer.from(text));

function parsed(filter: unknown, rest: Partial<MessageFilter> = {}): MessageFilter {
  const text = typeof filter === 'string' ? filter : JSON.stringify(filter);
  const found = parseFilter({ kind: 'query', text, match: 'all', matchUnfiltered: false, ...rest });
  if (found.kind === 'reject') throw new Error(found.reason);
  return found.filter;
}

/** Headers as text. */
function isMatch(headers: string | undefined, filter: MessageFilter): boolean {
  return createMatcher(filter)(headers === undefined ? undefined : bytes(headers));
}

const valued = (value: string) => JSON.stringify({ 'x-stream-filter-value': value });

describe('filter values', () => {
  test.each([
    ['foo', 'foo', true],
    ['foo', 'foo,bar', true],
    ['foo,bar', 'bar,foo', true],
    ['foo,bar', 'foo', false],
    ['foo', 'FOO', false],
    ['FOO', 'foo', false],
    ['foo', 'food', false],
    ['bar', 'foo, bar', false],
    ['foo', 'foo, bar', true],
    ['foo', 'foo,', true],
    ['foo', '', false],
    ['\u00e9', 'e\u0301', false],
    ['a,b,c,d,e', 'e,d,c,b,a', true],
    ['a,b,c,d,e', 'e,d,c,b', false],
  ])('F1 F2: %j of a message valued %j: %s', (filter, value, matches) => {
    expect(isMatch(valued(value), parsed(filter))).toBe(matches);
  });

  test('F2: written with escapes are the same', () => {
    expect(isMatch('{"x-stream-filter-value":"f\\u006fo"}', parsed('foo'))).toBe(true);
    expect(isMatch('{"x-stream-filter-v\\u0061lue":"foo"}', parsed('foo'))).toBe(true);
  });

  test('F2: of another header are none', () => {
    const other = '{"orig-x-stream-filter-value":"foo"}';

    expect(isMatch(other, parsed('foo'))).toBe(false);
    expect(isMatch(other, parsed('foo', { matchUnfiltered: true }))).toBe(true);
  });
});

describe('headers', () => {
  test.each([
    ['1', '"1"', true],
    ['"1"', '1', true],
    ['true', '"true"', true],
    ['1', '"1.0"', false],
    ['"Bar"', '"bar"', false],
    ['1.0', '1', false],
    ['1.0', '1.0', true],
    ['[1]', '"[1]"', false],
    ['{"a": 1}', '{"a": 1}', false],
    ['null', 'null', true],
    ['""', '""', true],
    ['"\\u0062ar"', '"bar"', true],
    ['12345678901234567890.10', '12345678901234567890.10', true],
    ['12345678901234567890.10', '12345678901234567890.1', false],
  ])('F3: %s against %s: %s', (header, wanted, matches) => {
    expect(isMatch(`{"a":0,"x":${header}}`, parsed(`{"x":${wanted}}`))).toBe(matches);
  });

  test('F3: that are absent do not equal an empty text', () => {
    expect(isMatch('{"y":""}', parsed({ x: '' }))).toBe(false);
    expect(isMatch('{"y":""}', parsed({ x: {} }, { match: 'any' }))).toBe(false);
  });

  test('F3: x-stream-filter-value is compared as a whole', () => {
    expect(isMatch(valued('foo,bar'), parsed({ 'x-stream-filter-value': 'foo' }))).toBe(false);
    expect(isMatch(valued('foo,bar'), parsed({ 'x-stream-filter-value': 'foo,bar' }))).toBe(true);
  });
});

describe('a message without filter value', () => {
  const far = '{"x-geo-lat":40,"x-geo-lon":2}';
  const near = { 'geo-within-radius': { lat: 0, lon: 0, radius_km: 1 } };

  test.each([
    [far, true],
    [undefined, true],
    ['{}', true],
    ['[]', true],
    ['{"x-geo-lat":40,"x-geo-lon":2,"x-stream-filter-value":""}', false],
  ])('F5: %s passes with match_unfiltered: %s, and never without', (headers, passes) => {
    expect(isMatch(headers, parsed(near, { matchUnfiltered: true }))).toBe(passes);
    expect(isMatch(headers, parsed(near))).toBe(false);
  });

  test('F6: and without headers matches nothing', () => {
    expect(isMatch(undefined, parsed({ a: '1' }))).toBe(false);
    expect(isMatch(undefined, parsed({ a: '1' }, { match: 'any' }))).toBe(false);
  });
});

test.each(['{}', '[]', '[[]]'])('F6: %s matches everything, whatever it has', (filter) => {
  for (const match of ['all', 'any'] as const) {
    expect(isMatch(undefined, parsed(filter, { match }))).toBe(true);
    expect(isMatch(valued('a'), parsed(filter, { match }))).toBe(true);
  }
});

describe('places', () => {
  const box = { 'geo-bbox': { min_lat: 39, max_lat: 41, min_lon: -75, max_lon: -73 } };
  const everywhere = { 'geo-bbox': { min_lat: -90, max_lat: 90, min_lon: -180, max_lon: 180 } };

  test.each([
    ['40', '-74'],
    ['"40"', '"-74.0"'],
    ['4e1', '-74.0'],
  ])('G1: %s, %s match alike', (lat, lon) => {
    expect(isMatch(`{"x-geo-lat":${lat},"x-geo-lon":${lon}}`, parsed(box))).toBe(true);
  });

  test.each(['"40,7"', '"0x28"', '"north"', '""', '"4e1"', '"90.5"', '100', 'null', 'true', '[1]'])(
    'G1: a latitude %s is never matched',
    (lat) => {
      expect(isMatch(`{"x-geo-lat":${lat},"x-geo-lon":1}`, parsed(everywhere))).toBe(false);
    },
  );

  test('G1: one coordinate alone is never matched', () => {
    expect(isMatch('{"x-geo-lat":1}', parsed(everywhere))).toBe(false);
    expect(isMatch('{"x-geo-lon":1}', parsed(everywhere))).toBe(false);
  });
});

/** The same by the words of the rules alone, for messages whose headers are text. */
function naively(headers: Record<string, string> | undefined, filter: MessageFilter): boolean {
  const own = headers?.['x-stream-filter-value'];
  if (filter.parts.length === 0) return true;
  if (filter.matchUnfiltered && own === undefined) return true;
  const holds = filter.parts.map((part: FilterPart) => {
    if (part.kind === 'value') return own?.split(',').includes(part.value) ?? false;
    return part.kind === 'header' && headers?.[part.name] === part.text;
  });
  return filter.match === 'all' ? !holds.includes(false) : holds.includes(true);
}

test('F3 F4 F5 F7: any filter matches what the rules say, whatever the headers', () => {
  const text = fc.constantFrom('', 'a', 'b', 'ab', 'a,b', '"', '\\', 'é', '\u2028', '1', '1.0');
  const name = fc.constantFrom('x-stream-filter-value', 'x', 'a', '"', 'é\\');
  const part: fc.Arbitrary<FilterPart> = fc.oneof(
    text.map((value) => ({ kind: 'value', value }) as const),
    fc.record({ kind: fc.constant('header'), name, text }),
  );
  const filter = fc.record({
    match: fc.constantFrom('all', 'any'),
    parts: fc.array(part, { maxLength: 7 }),
    matchUnfiltered: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.option(fc.dictionary(name, text), { nil: undefined }),
      filter,
      (headers, wanted) => {
        const written = headers && JSON.stringify(headers);
        expect(isMatch(written, wanted)).toBe(naively(headers, wanted));
      },
    ),
    { numRuns: 2_000 },
  );
});
