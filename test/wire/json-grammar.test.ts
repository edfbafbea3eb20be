import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonText, isPlainText } from '../../lib/wire/json-grammar.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const TOKENS = [
  ...['{', '}', '[', ']', ',', ':', ' ', '\n', '\t', '\r', '"', '"a"', '""', '"\\u00e9"', '"\\'],
  ...['0', '-', '1', '.5', '1.5', 'e', 'E+1', '-0', '01', 'true', 'false', 'null', 'nul', 'é'],
  ...['\u0000', '\u001f', '\u007f', '\ufeff', '\u2028', '\\n', '\\x', '\\u12', 'NaN', "'"],
];

describe('P10: a text is JSON exactly when a parser takes it', () => {
  test('for texts that are', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom('', ' ', '\n\t'), (text, space) => {
        expect(isJsonText(bytes(`${space}${text}${space}`))).toBe(true);
      }),
    );
  });

  test('for texts of tokens in any order', () => {
    const text = fc.array(fc.constantFrom(...TOKENS), { maxLength: 12 }).map((all) => all.join(''));
    fc.assert(
      fc.property(text, (given) => {
        expect(isJsonText(bytes(given))).toBe(parses(given));
      }),
      { numRuns: 20_000 },
    );
  });

  test('for texts with one character changed, put in or left out', () => {
    const change = fc.record({
      text: fc.json({ maxDepth: 4, noUnicodeString: false }),
      at: fc.nat(),
      put: fc.constantFrom('', ...TOKENS),
      left: fc.integer({ min: 0, max: 2 }),
    });
    fc.assert(
      fc.property(change, ({ text, at, put, left }) => {
        const place = at % (text.length + 1);
        const changed = text.slice(0, place) + put + text.slice(place + left);
        fc.pre(changed.isWellFormed());
        expect(isJsonText(bytes(changed))).toBe(parses(changed));
      }),
      { numRuns: 20_000 },
    );
  });

  test.each([
    ['', false],
    [' ', false],
    ['1 2', false],
    ['"\\ud800"', true],
    ['"\\uD8', false],
    ['"\\u12G4"', false],
    ['"\u0000"', false],
    ['-', false],
    ['1e', false],
    ['1E-7', true],
    ['-0.0e+00', true],
    ['00', false],
    ['1.', false],
    ['truex', false],
    ['[1,]', false],
    ['{"a":1,}', false],
    ['{"a" 1}', false],
    ['{1:2}', false],
    ['[}', false],
    ['{]', false],
    ['[', false],
    [']', false],
  ])('%j: %s', (text, expected) => {
    expect(isJsonText(bytes(text))).toBe(expected);
    expect(parses(text)).toBe(expected);
  });

  test('however deep it is nested', () => {
    const depth = 1_000_000;
    const deep = '['.repeat(depth) + ']'.repeat(depth);

    expect(isJsonText(bytes(deep))).toBe(true);
    expect(isJsonText(bytes(deep.slice(1)))).toBe(false);
    expect(isJsonText(bytes(deep.slice(0, -1)))).toBe(false);
  });
});

test('P10: a text is plain exactly when JSON writes it as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
      expect(isPlainText(bytes(text))).toBe(JSON.stringify(text) === `"${text}"`);
    }),
    { numRuns: 2_000 },
  );
});
