import fc from 'fast-check';
import { expect, test } from 'vitest';
import { outerNumbers } from '../../../lib/core/filter/outer-numbers.ts';

test.each<[string, Record<string, string>]>([
  ['{}', {}],
  ['{"a":1}', { a: '1' }],
  [' { "a" : -1.50E+7 , "b":0}', { a: '-1.50E+7', b: '0' }],
  ['{"a":"1","b":[2,{"c":3}],"d":{"e":4},"f":5}', { f: '5' }],
  ['{"a":1,"a":2.0}', { a: '2.0' }],
  ['{"a\\"b":1,"\\u0063":2,"":3}', { 'a"b': '1', c: '2', '': '3' }],
  ['{"a":"\\\\","b":1}', { b: '1' }],
  ['{"a":"{[,:1","b":true,"c":null,"d":-0}', { d: '-0' }],
])('F3: of %s they are those', (text, numbers) => {
  expect(Object.fromEntries(outerNumbers(text))).toEqual(numbers);
});

test('F3: of any object they are its members that are numbers', () => {
  const members = fc.dictionary(fc.string(), fc.jsonValue());
  const spaces = fc.constantFrom(undefined, 1, '\t');
  fc.assert(
    fc.property(members, spaces, (object, space) => {
      // Written once and parsed, so that -0 is 0 on both sides.
      const text = JSON.stringify(object, undefined, space);
      const parsed: Record<string, unknown> = JSON.parse(text);
      const numbers = Object.entries(parsed).filter(([, value]) => typeof value === 'number');
      const written = numbers.map(([name, value]) => [name, JSON.stringify(value)] as const);
      expect(outerNumbers(text)).toEqual(new Map(written));
    }),
    { numRuns: 1_000 },
  );
});

test('F3: an end that is missing ends the search', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      // Escapes are right in all that was found to be JSON.
      expect(outerNumbers(`{"a":1,${text.replaceAll('\\', '')}`).size).toBeGreaterThan(0);
    }),
  );
});
