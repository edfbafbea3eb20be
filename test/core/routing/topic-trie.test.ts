import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TopicTrie } from '../../../lib/core/routing/topic-trie.ts';

function isMatch(pattern: string, key: string): boolean {
  return found([pattern], key).length > 0;
}

function found(patterns: readonly string[], key: string): string[] {
  const trie = new TopicTrie<string>();
  for (const pattern of patterns) trie.add(pattern, pattern);
  const matched: string[] = [];
  trie.match(key, (pattern) => matched.push(pattern));
  return matched.sort();
}

describe('patterns', () => {
  test.each([
    ['*.test', 'rk2.test', true],
    ['*', 'rk2.a', false],
    ['a.*', 'b.c', false],
    ['c.*.d', 'c.a.d', true],
    ['c.*', 'c.a.d', false],
    ['d.#', 'd.a.d', true],
    ['d.#', 'd', true],
    ['a.#', 'ab', false],
    ['#.a', 'a.a.b', false],
    ['#.a', 'a.a.a', true],
    ['#.a.a.a', 'a.a.b.a.a', false],
    ['#.a.a.a', 'a.a.a.a', true],
    ['#.a.b.c', 'a.a.a.a.b.c', true],
    ['#.*.d', 'a.d.a', false],
    ['#.*.d', 'a.a.d', true],
    ['#.*.d', 'd', false],
    ['#.a.#', 'b.b.a.b.b', true],
    ['#.a.#', 'b.b', false],
    ['#.a.#', 'a', true],
    ['a.*.c.#', 'a.b.c', true],
    ['a.*.c.#', 'a.b.c.d.e', true],
    ['a.*.c.#', 'a.c', false],
    ['rk63.rk63', 'rk63', false],
    ['#', '', true],
    ['#', 'a.b.c', true],
    ['#.#', 'a', true],
    ['#.#', '', true],
    ['*.#', 'a', true],
    ['*.#', '', false],
    ['a.#.b', 'a.b', true],
    ['a.#.b', 'a.x.y.b', true],
    ['a.*.b', 'a..b', true],
    ['a*', 'ab', false],
    ['A.b', 'a.b', false],
    ['', '', true],
    ['', 'a', false],
    ['a.#', 'a.*', true],
    ['a.*', 'a.#', true],
    ['a.b', 'a.#', false],
    ['a.b', 'a.*', false],
  ])('X1: %j of key %j: %s', (pattern, key, matches) => {
    expect(isMatch(pattern, key)).toBe(matches);
  });
});

/** By its definition, without any cleverness. */
function naive(pattern: readonly string[], key: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return key.length === 0;
  if (first === '#') {
    return Array.from({ length: key.length + 1 }, (_, at) => at).some((at) =>
      naive(rest, key.slice(at)),
    );
  }
  if (key.length === 0) return false;
  return (first === '*' || first === key[0]) && naive(rest, key.slice(1));
}

const words = (text: string) => (text === '' ? [] : text.split('.'));
const pattern = fc
  .array(fc.constantFrom('a', 'b', 'c', '*', '#', ''), { maxLength: 6 })
  .map((all) => all.join('.'));
const key = fc
  .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 7 })
  .map((all) => all.join('.'));

test('X1: a walk finds what a look at each pattern finds, each once', () => {
  fc.assert(
    fc.property(fc.uniqueArray(pattern, { maxLength: 30 }), key, (patterns, wanted) => {
      const expected = patterns.filter((one) => naive(words(one), words(wanted)));
      expect(found(patterns, wanted)).toEqual(expected.sort());
    }),
    { numRuns: 300 },
  );
});

test('X1: a key of many words against patterns of many # ends', () => {
  const trie = new TopicTrie<number>();
  for (let at = 0; at < 100; at++) trie.add(`${'#.a.'.repeat(30)}${at}`, at);
  let matched = 0;
  trie.match(`${'a.'.repeat(125)}7`, () => {
    matched++;
  });

  expect(matched).toBe(1);
});
