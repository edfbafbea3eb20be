import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bindingFault,
  bindingName,
  NO_ARGUMENTS,
  parseArguments,
  parseWeight,
  propertiesKey,
  routingKeyFault,
} from '../../../lib/core/routing/binding.ts';
import { binding, settingsOf, toExchange, toStream } from '../../support/exchange-steps.ts';

const hash = () => 'HASH';
const args = (text: string) => parseArguments(text) ?? NO_ARGUMENTS;

describe('properties key', () => {
  test.each([
    ['', '{}', '~'],
    ['k', '{}', 'k'],
    ['', '{"a":1}', '~HASH'],
    ['k', '{"a":1}', 'k~HASH'],
    ['a~b', '{}', 'a%7Eb'],
    ['~', '{}', '%7E'],
    ['100%', '{}', '100%25'],
    ['%7E', '{}', '%257E'],
    ['.', '{}', '%2E'],
    ['..', '{}', '%2E%2E'],
    ['a.b/c', '{}', 'a.b/c'],
  ])('X6: of key %j and arguments %s it is %j', (key, text, expected) => {
    expect(propertiesKey(key, args(text), hash)).toBe(expected);
  });

  test('X6: different keys and arguments have different ones', () => {
    const part = fc.tuple(
      fc.string({ unit: fc.constantFrom('a', '~', '%', '.', '7', 'E'), maxLength: 4 }),
      fc.constantFrom('{}', '{"a":1}', '{"a":2}'),
    );
    fc.assert(
      fc.property(part, part, ([a, x], [b, y]) => {
        const told = (key: string, text: string) =>
          propertiesKey(key, args(text), (all) => Buffer.from(all).toString('base64url'));
        expect(told(a, x) === told(b, y)).toBe(a === b && x === y);
      }),
    );
  });
});

describe('arguments', () => {
  test.each([
    ['{"b":2,"a":1}', '{"a":1,"b":2}'],
    ['{ "a" : [ 1 , {"d":1,"c":2} ] }', '{"a":[1,{"c":2,"d":1}]}'],
    ['{"a":1e3}', '{"a":1e3}'],
    ['{"a":"\\u00e9"}', '{"a":"é"}'],
  ])('X6: %s is kept as %s', (text, kept) => {
    expect(parseArguments(text)).toBe(kept);
  });

  test.each(['[]', '1', 'null', '{', '"a"'])('X6: %s is no object', (text) => {
    expect(parseArguments(text)).toBeUndefined();
  });
});

test('X6: a stream and an exchange of one name are two destinations', () => {
  const [a, b] = [binding(toStream('a/b'), 'k'), binding(toExchange('a/b'), 'k')];
  expect(a.propertiesKey).toBe(b.propertiesKey);
  expect([a.name, b.name]).toEqual(['stream/a%2Fb/k', 'exchange/a%2Fb/k']);
  expect(bindingName(toStream('q'), a.propertiesKey)).toBe('stream/q/k');
});

describe('what an exchange takes', () => {
  test.each(['1', '250', '1000'])('X1: weight %j', (routingKey) => {
    const one = { routingKey, arguments: NO_ARGUMENTS };
    expect(bindingFault(settingsOf('x-consistent-hash'), one)).toBeUndefined();
  });

  test.each(['', 'abc', '0', '-1', '1.5', '1001', ' 1', '1 ', '01', '1e2', '10000', '١'])(
    'X1: no weight %j',
    (routingKey) => {
      const one = { routingKey, arguments: NO_ARGUMENTS };
      expect(parseWeight(routingKey)).toBeUndefined();
      expect(bindingFault(settingsOf('x-consistent-hash'), one)?.field).toBe('routing_key');
      expect(bindingFault(settingsOf('topic'), one)).toBeUndefined();
    },
  );

  test.each([
    ['{"x-match":"all"}', undefined],
    ['{"x-match":"any","a":1}', undefined],
    ['{"x-match":"both"}', 'arguments.x-match'],
    ['{"x-match":1}', 'arguments.x-match'],
    ['{"x-match":null}', 'arguments.x-match'],
  ])('X1: a headers exchange, of arguments %s, refuses %s', (text, field) => {
    const one = { routingKey: '', arguments: args(text) };
    expect(bindingFault(settingsOf('headers'), one)?.field).toBe(field);
    expect(bindingFault(settingsOf('direct'), one)).toBeUndefined();
  });
});

test.each([
  ['a'.repeat(255), undefined],
  ['', undefined],
  ['a'.repeat(256), 'is longer than 255 bytes of UTF-8'],
  ['é'.repeat(128), 'is longer than 255 bytes of UTF-8'],
  ['\ud800', 'holds half a surrogate pair: send valid Unicode'],
])('X1: routing key %j: %s', (key, fault) => {
  expect(routingKeyFault(key)).toBe(fault);
});
