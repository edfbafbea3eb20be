import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compactJson,
  type JsonPiece,
  scanElements,
  scanMembers,
  withoutMembers,
} from '../../lib/wire/json-text.ts';

/** A JSON value as its tokens, so that any space can be put between them. */
type Tokens = readonly string[];

/** Strings with every kind of escape, also where none is needed. */
const text: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc
        .string({ unit: 'grapheme', minLength: 1, maxLength: 3 })
        .map((part) => JSON.stringify(part).slice(1, -1)),
      fc.constantFrom(
        '\\"',
        '\\\\',
        '\\/',
        '\\b',
        '\\n',
        '\\u0000',
        '\\u005c',
        '\\u0022',
        '\\ud800',
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        ' ',
      ),
    ),
    { maxLength: 5 },
  )
  .map((parts) => `"${parts.join('')}"`);
const scalar = fc.oneof(
  text,
  fc.constantFrom(
    'true',
    'false',
    'null',
    '0',
    '-0',
    '1.10',
    '1e2',
    '-1E+400',
    '123456789012345678901234567890',
  ),
);
/**
 * None begins with a backslash: V8 13.6, whose parser these tests compare with, then takes a later name
 * that is written with an escape for this one. Names here are read by the scan, which does not.
 */
const name = fc
  .oneof(text, fc.constantFrom('"a"', '"b"', '"\\u0061"', '"__proto__"', '""'))
  .filter((quoted) => !String(JSON.parse(quoted)).startsWith('\\'));

const { value } = fc.letrec<{ value: Tokens; array: Tokens; object: Tokens }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar.map((token) => [token]),
    tie('array'),
    tie('object'),
  ),
  array: fc.array(tie('value'), { maxLength: 4 }).map((values) => arrayTokens(values)),
  object: fc
    .array(fc.tuple(name, tie('value')), { maxLength: 4 })
    .map((members) => objectTokens(members)),
}));
const members = fc.array(fc.tuple(name, value), { maxLength: 6 });

function arrayTokens(values: readonly Tokens[]): Tokens {
  return [
    '[',
    ...values.flatMap((tokens, index) => (index === 0 ? tokens : [',', ...tokens])),
    ']',
  ];
}

function objectTokens(pairs: readonly (readonly [string, Tokens])[]): Tokens {
  const tokens = pairs.flatMap(([key, parts], index) => [
    ...(index === 0 ? [] : [',']),
    key,
    ':',
    ...parts,
  ]);
  return ['{', ...tokens, '}'];
}

/** The tokens with random space before, between and behind them. */
const spaced = (tokens: Tokens): fc.Arbitrary<string> =>
  fc
    .array(fc.string({ unit: fc.constantFrom(' ', '\t', '\r', '\n'), maxLength: 2 }), {
      minLength: tokens.length + 1,
      maxLength: tokens.length + 1,
    })
    .map(
      (spaces) => tokens.map((token, index) => `${spaces[index]}${token}`).join('') + spaces.at(-1),
    );

const bytes = (json: string) => new TextEncoder().encode(json);
const string = (json: Uint8Array) => Buffer.from(json).toString('utf8');
const sliced = (source: Uint8Array, { start, end }: JsonPiece) =>
  string(source.subarray(start, end));
/** What a parser makes of it, told as text: a member named __proto__ too. */
const parsed = (json: string) => JSON.stringify(JSON.parse(json));

function expectVerbatim(slice: string, tokens: Tokens): void {
  expect(slice.trim()).toBe(slice);
  expect(string(compactJson(bytes(slice)))).toBe(tokens.join(''));
}

describe('the members of an object', () => {
  test('are found where they stand, with their names decoded', () => {
    const objects = members.chain((pairs) =>
      fc.record({
        pairs: fc.constant(pairs),
        text: spaced(objectTokens(pairs)),
        before: fc.nat(5),
      }),
    );
    fc.assert(
      fc.property(objects, ({ pairs, text: object, before }) => {
        const source = bytes(`${'x'.repeat(before)}${object}`);
        const found = scanMembers(source, before);

        expect(found.map((member) => member.name)).toEqual(pairs.map(([key]) => JSON.parse(key)));
        for (const [index, member] of found.entries()) {
          const [key = '', tokens = []] = pairs[index] ?? [];
          expectVerbatim(sliced(source, member.value), tokens);
          expect(sliced(source, { start: member.nameStart, end: member.value.end })).toMatch(/^"/);
          expect(sliced(source, { start: member.nameStart, end: member.value.start })).toContain(
            key,
          );
        }
        // The last one of a name is the one that a parser takes.
        const last = new Map(found.map((member) => [member.name, sliced(source, member.value)]));
        const again = `{${[...last].map(([key, part]) => `${JSON.stringify(key)}:${part}`).join()}}`;
        expect(parsed(again)).toBe(parsed(object));
      }),
    );
  });

  test('can be left out; what remains is compact and verbatim', () => {
    const objects = members.chain((pairs) =>
      fc.record({ pairs: fc.constant(pairs), text: spaced(objectTokens(pairs)) }),
    );
    fc.assert(
      fc.property(
        objects,
        fc.subarray(['a', 'b', '', '__proto__']),
        ({ pairs, text: object }, names) => {
          const kept = pairs.filter(([key]) => !names.includes(JSON.parse(key)));

          expect(string(withoutMembers(bytes(object), new Set(names)))).toBe(
            objectTokens(kept).join(''),
          );
        },
      ),
    );
  });
});

test('the elements of an array are found where they stand', () => {
  const arrays = fc.array(value, { maxLength: 6 }).chain((values) =>
    fc.record({
      values: fc.constant(values),
      text: spaced(arrayTokens(values)),
      before: fc.nat(5),
    }),
  );
  fc.assert(
    fc.property(arrays, ({ values, text: array, before }) => {
      const source = bytes(`${'x'.repeat(before)}${array}`);
      const found = scanElements(source, before);

      expect(found).toHaveLength(values.length);
      for (const [index, piece] of found.entries()) {
        expectVerbatim(sliced(source, piece), values[index] ?? []);
      }
    }),
  );
});

test('a compact text is its tokens alone, and means the same', () => {
  const texts = value.chain((tokens) =>
    fc.record({ tokens: fc.constant(tokens), text: spaced(tokens) }),
  );
  fc.assert(
    fc.property(texts, ({ tokens, text: json }) => {
      const compact = string(compactJson(bytes(json)));

      expect(compact).toBe(tokens.join(''));
      expect(parsed(compact)).toBe(parsed(json));
    }),
  );
});

test('nesting is counted, not recursed into', () => {
  const deep = `${'[{"a":'.repeat(100_000)}1${'}]'.repeat(100_000)}`;
  const source = bytes(`{"deep":${deep},"next":1}`);

  expect(
    scanMembers(source, 0).map((member) => [member.name, member.value.end - member.value.start]),
  ).toEqual([
    ['deep', deep.length],
    ['next', 1],
  ]);
});

test('a text that is no JSON ends the scan, and never keeps it going', () => {
  const characters = fc.constantFrom(...'{}[],:"\\ \n1ta');
  fc.assert(
    fc.property(fc.string({ unit: characters, maxLength: 30 }), (broken) => {
      const source = bytes(broken);

      expect(scanElements(source, 0).length).toBeLessThanOrEqual(broken.length);
      expect(compactJson(source).length).toBeLessThanOrEqual(broken.length);
      try {
        expect(scanMembers(source, 0).length).toBeLessThanOrEqual(broken.length);
      } catch (error) {
        // Of what stands where a name should be.
        expect(error).toBeInstanceOf(SyntaxError);
      }
    }),
  );
});
