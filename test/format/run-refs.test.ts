import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CorruptChunk } from '../../lib/format/corrupt-chunk.ts';
import { decodeRunRefs, encodeRunRefs, type RunRefs } from '../../lib/format/run-refs.ts';

const decode = (encoded: Uint8Array) => decodeRunRefs(encoded, 'run at 7');

const sample: RunRefs = {
  base: 300,
  refs: [
    { count: 1, chunkBytes: 20, timeMs: 1_795_946_400_000, opensSegment: true },
    { count: 100, chunkBytes: 5_000, timeMs: 1_795_946_400_000, opensSegment: false },
    { count: 3, chunkBytes: 70, timeMs: 1_795_946_400_005, opensSegment: false },
  ],
};

const run = fc
  .record({
    base: fc.nat(Number.MAX_SAFE_INTEGER),
    startMs: fc.nat(4_000_000_000_000),
    refs: fc.array(
      fc.record({
        count: fc.integer({ min: 1, max: 10_000 }),
        chunkBytes: fc.nat(4_300_000),
        laterMs: fc.nat(100_000),
        opensSegment: fc.boolean(),
      }),
      { minLength: 1 },
    ),
  })
  .map(({ base, startMs, refs }): RunRefs => {
    let timeMs = startMs;
    const placed = refs.map(({ laterMs, ...ref }) => {
      timeMs += laterMs;
      return { ...ref, timeMs };
    });
    return { base, refs: placed };
  });

describe('the refs of a run', () => {
  test('survive the round trip', () => {
    fc.assert(
      fc.property(run, (original) => {
        expect(decode(encodeRunRefs(original))).toEqual(original);
      }),
    );
  });

  test('have these bytes for ever', () => {
    // base 300 | 2 * 1 + 1, 20 bytes, ms since 1970 | 2 * 100, 5000 bytes, 0 ms | 2 * 3, 70 bytes, 5 ms | crc
    const hex = 'ac02 03148092fdb5a234 c801882700 064605 abcb1b3a'.replaceAll(' ', '');

    expect(Buffer.from(encodeRunRefs(sample)).toString('hex')).toBe(hex);
  });

  test('are refused with any bit of any byte changed', () => {
    const encoded = encodeRunRefs(sample);
    for (let bit = 0; bit < 8 * encoded.length; bit++) {
      const damaged = encoded.slice();
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => decode(damaged), `bit ${bit}`).toThrow(CorruptChunk);
    }
  });

  test('are refused cut off anywhere or with a byte more', () => {
    const encoded = encodeRunRefs(sample);
    for (let length = 0; length < encoded.length; length++) {
      expect(() => decode(encoded.subarray(0, length)), `${length} bytes`).toThrow(CorruptChunk);
    }
    expect(() => decode(Uint8Array.of(...encoded, 0))).toThrow(CorruptChunk);
  });

  test('are refused with a checksum that fits around nothing', () => {
    const crc = Buffer.alloc(4);
    crc.writeUInt32LE(crc32(Uint8Array.of(7, 3)));

    expect(() => decode(Uint8Array.of(7, 3, ...crc))).toThrow('chunk bytes at 2 is cut off');
  });

  test('are named by what was being read', () => {
    expect(() => decode(new Uint8Array(3))).toThrow('run at 7: refs of 3 bytes');
  });
});
