/** Records and frames of every form, for properties. */
import fc from 'fast-check';
import type { WireRecord } from '../../lib/wire/record.ts';

const bytes = (maxLength: number) => fc.uint8Array({ maxLength });
const contentType = fc.oneof(
  fc.constantFrom(
    'application/json',
    'text/plain; charset=utf-8',
    'application/octet-stream',
    'image/png',
    '',
  ),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
);

/** Parts around 128 bytes, where their lengths take a byte more. */
export const wireRecord: fc.Arbitrary<WireRecord> = fc.record(
  {
    body: bytes(300),
    contentType,
    key: bytes(200),
    routingKey: bytes(20),
    headers: bytes(200),
    properties: bytes(20),
  },
  { requiredKeys: ['body', 'contentType'] },
);

export const risingIds = (count: number): fc.Arbitrary<number[]> =>
  fc
    .tuple(
      fc.maxSafeNat(),
      fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: count, maxLength: count }),
    )
    .map(([first, steps]) => {
      const start = Math.min(first, Number.MAX_SAFE_INTEGER - 1_000 * count);
      return steps.map((_, index) => start + steps.slice(0, index + 1).reduce((a, b) => a + b, 0));
    });
