import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CorruptChunk } from '../../lib/format/corrupt-chunk.ts';
import { decodePublisherMeta, encodePublisherMeta } from '../../lib/format/publisher-meta.ts';

test('what is known of a request is what it was', () => {
  const metas = fc.record({
    count: fc.maxSafeNat(),
    duplicates: fc.maxSafeNat(),
    delta: fc.maxSafeNat(),
    gaps: fc.maxSafeNat(),
  });
  fc.assert(
    fc.property(metas, (meta) => {
      expect(decodePublisherMeta(encodePublisherMeta(meta), 'it')).toEqual(meta);
    }),
  );
});

test('it takes four bytes as a rule', () => {
  const usual = { count: 100, duplicates: 0, delta: 0, gaps: 0 };

  expect(encodePublisherMeta(usual)).toEqual(Uint8Array.of(100, 0, 0, 0));
});

test.each([[[]], [[1, 0, 0]], [[1, 0, 0, 0, 0]], [[0x80]]])('%j is refused', (bytes) => {
  expect(() => decodePublisherMeta(Uint8Array.from(bytes), 'publisher 3')).toThrow(CorruptChunk);
});
