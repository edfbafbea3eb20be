import { describe, expect, test } from 'vitest';
import { parseArguments } from '../../../lib/core/routing/binding.ts';
import {
  headersTest,
  matchesHeaders,
  RoutedHeaders,
} from '../../../lib/core/routing/headers-matcher.ts';

function isMatch(args: string, headers: string | undefined, match: 'all' | 'any' = 'all'): boolean {
  const parsed = parseArguments(args);
  if (parsed === undefined) throw new Error('arguments that are no object');
  return matchesHeaders(headersTest(parsed, match), new RoutedHeaders(headers));
}

const deep = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;

describe('headers', () => {
  test.each([
    ['{"x-match":"all","a":1,"b":2}', '{"a":1,"b":2}', true],
    ['{"x-match":"all","a":1,"b":2}', '{"a":1}', false],
    ['{"x-match":"all","a":1,"b":2}', '{"a":1,"b":2,"c":3}', true],
    ['{"x-match":"any","a":1,"b":2}', '{"b":2,"c":9}', true],
    ['{"x-match":"any","a":1,"b":2}', '{"c":1}', false],
    ['{"x-match":"any","a":1}', undefined, false],
    ['{"a":1,"b":2}', '{"a":1}', false],
    ['{"a":1}', '{"a":"1"}', false],
    ['{"a":true}', '{"a":"true"}', false],
    ['{"a":null}', '{"a":null}', true],
    ['{"a":null}', '{"b":1}', false],
    ['{"a":{"x":1,"y":[1,2]}}', '{"a":{"y":[1,2],"x":1}}', true],
    ['{"a":{"x":1,"y":[1,2]}}', '{"a":{"x":1,"y":[2,1]}}', false],
    ['{"x-match":"all","x-foo":1,"a":1}', '{"a":1}', true],
    ['{"x-match":"all"}', '{"a":1}', true],
    ['{"x-match":"any"}', '{"a":1}', true],
    ['{"x-foo":1}', '{"a":1}', true],
    ['{"x-foo":1}', undefined, false],
    ['{}', undefined, true],
    ['{}', '{}', true],
    ['{}', '{"a":1}', false],
    ['{"a":9007199254740993}', '{"a":9007199254740992}', false],
    ['{"a":9007199254740993}', '{"a":9007199254740993}', true],
    ['{"a":1}', '{"a":1.0}', false],
    ['{"a":"é"}', '{"a":"\\u00e9"}', true],
    ['{"__proto__":1}', '{"a":1}', false],
    ['{"__proto__":1}', '{"__proto__":1}', true],
    ['{"constructor":1}', '{"a":1}', false],
  ])('X1: arguments %s, headers %s: %s', (args, headers, matches) => {
    expect(isMatch(args, headers)).toBe(matches);
  });

  test('X1: what the exchange says holds for bindings that say nothing', () => {
    expect(isMatch('{"a":1,"b":2}', '{"a":1}', 'any')).toBe(true);
    expect(isMatch('{"x-match":"all","a":1,"b":2}', '{"a":1}', 'any')).toBe(false);
  });

  test('X1: a header that is nested deeper than any argument equals none', () => {
    expect(parseArguments(deep(16))).toBeUndefined();
    expect(isMatch(deep(15), deep(15))).toBe(true);
    expect(isMatch(deep(15), deep(20_000))).toBe(false);
  });
});
