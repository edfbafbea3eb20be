import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quote } from '../../lib/core/quote.ts';

test.each([
  ['plain text in quotation marks', 'firs', '"firs"'],
  ['letters of any script as they are', '日本/🜁', '"日本/🜁"'],
  ['quotation marks and line feeds escaped', 'a"\nb', '"a\\"\\nb"'],
  [
    'what JSON leaves alone but breaks a line',
    'a\u0085b\u2028c\u007f',
    '"a\\u0085b\\u2028c\\u007f"',
  ],
  ['half a surrogate pair as an escape', 'a\ud83d', '"a\\ud83d"'],
  ['64 characters in full', 'x'.repeat(64), `"${'x'.repeat(64)}"`],
  ['more than 64 cut off with a mark', 'x'.repeat(65), `"${'x'.repeat(64)}…"`],
])('shows %s', (_what, text, shown) => {
  expect(quote(text)).toBe(shown);
});

test('stays one short line, whatever it is given', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      expect(quote(text)).toMatch(/^"[^\p{Cc}\p{Cs}\u2028\u2029]{0,400}"$/u);
    }),
  );
});
