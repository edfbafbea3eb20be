import { expect, test } from 'vitest';
import { GrowingBytes } from '../../lib/aws/growing-bytes.ts';

const KIB = 1024;

test.each([
  ['none', 10, []],
  ['some small ones', 10, [1, 0, 2]],
  ['as many as are expected', 5_000 * KIB, [2_000 * KIB, 2_999 * KIB, KIB]],
  ['more than are expected', 10, [3, 4, 3_000 * KIB, 3_000 * KIB, 1]],
])('of %s are all there, in their order', (_what, expectedMax, sizes) => {
  const parts = sizes.map((size, index) => new Uint8Array(size).fill(index + 1));
  const bytes = new GrowingBytes(expectedMax);
  for (const part of parts) bytes.add(part);

  expect(Buffer.compare(bytes.bytes(), Buffer.concat(parts))).toBe(0);
});
