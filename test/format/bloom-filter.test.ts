import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BloomBuilder, mayHold } from '../../lib/format/bloom-filter.ts';

function bloomOf(entries: Iterable<string | Uint8Array>): Uint8Array {
  const builder = new BloomBuilder();
  for (const entry of entries) builder.add(entry);
  return builder.finish();
}

const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

test('what was added may always be held', () => {
  const entry = fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array({ maxLength: 30 }));
  fc.assert(
    fc.property(fc.array(entry), (entries) => {
      const bloom = bloomOf(entries);
      expect(entries.filter((added) => !mayHold(bloom, added))).toEqual([]);
    }),
  );
});

test('a text is the same as its bytes', () => {
  const bytes = new Uint8Array(Buffer.from('Zürich'));

  expect(bloomOf(['Zürich'])).toEqual(bloomOf([bytes]));
  expect(mayHold(bloomOf(['Zürich']), bytes)).toBe(true);
});

test('nothing added is no bytes, which hold nothing', () => {
  expect(bloomOf([])).toEqual(new Uint8Array(0));
  expect(mayHold(new Uint8Array(0), '')).toBe(false);
});

test.each([
  ['one entry, however often', Array.from({ length: 9_999 }, () => 'north'), 8],
  ['a hundred', numbered('sensor', 100), 200],
  ['as many as fit at their best', numbered('sensor', 4_096), 8_192],
  ['as many as fit', numbered('sensor', 8_192), 8_192],
  ['more than fit', numbered('sensor', 8_193), 1],
])('bytes grow with the distinct entries: %s', (_what, entries, bytes) => {
  expect(bloomOf(entries).length).toBe(bytes);
});

test('more than fit may be anything', () => {
  const bloom = bloomOf(numbered('sensor', 9_000));

  expect(numbered('other', 1_000).every((entry) => mayHold(bloom, entry))).toBe(true);
});

// Entries of one length, since with a second CRC as the step a tenth of them would seem to be held.
test.each([
  [1, 0.002],
  [3, 0.003],
  [10, 0.002],
  [100, 0.002],
  [1_000, 0.002],
  [4_096, 0.002],
  [8_192, 0.03],
])('of %i entries few others seem to be held', (count, share) => {
  const padded = (index: number) => `device-${String(index).padStart(6, '0')}`;
  const bloom = bloomOf(Array.from({ length: count }, (_, index) => padded(index)));
  const others = Array.from({ length: 20_000 }, (_, index) => padded(count + index));

  expect(others.filter((entry) => mayHold(bloom, entry)).length).toBeLessThan(20_000 * share);
});

test('the bits are those that lie in objects', () => {
  expect(Buffer.from(bloomOf(['north'])).toString('hex')).toBe('0410400081000208');
});
