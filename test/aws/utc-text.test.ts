/** Times as AWS wants them in what is signed. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { utcText } from '../../lib/aws/utc-text.ts';

test('is the time as the language itself writes it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Date.UTC(9999, 0) }), (ms) => {
      const text = new Date(ms).toISOString().replace(/[-:]|\.[0-9]*/g, '');
      expect(utcText(ms)).toBe(text);
    }),
  );
});

test.each([
  [Date.UTC(2024, 1, 29), '20240229T000000Z'],
  [Date.UTC(2000, 1, 29, 23, 59, 59, 999), '20000229T235959Z'],
  [Date.UTC(2100, 2, 1), '21000301T000000Z'],
  [Date.UTC(2026, 11, 31, 23, 59, 59), '20261231T235959Z'],
])('%i is %s', (ms, text) => {
  expect(utcText(ms)).toBe(text);
});
