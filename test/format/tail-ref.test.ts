import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CorruptChunk } from '../../lib/format/corrupt-chunk.ts';
import { decodeTailRef, encodeTailRef } from '../../lib/format/tail-ref.ts';
import { encodeUlid } from '../../lib/format/ulid.ts';

const ulid = encodeUlid(1_795_946_400_000, '00112233445566778899');
const REF = { ulid, count: 100, bytes: 262_144, timeMs: 1_795_946_400_003, opensSegment: false };

test('a ref is what it was, whatever its numbers are', () => {
  const refs = fc.record({
    ulid: fc.nat(2 ** 48 - 1).map((timeMs) => encodeUlid(timeMs, 'ab'.repeat(10))),
    count: fc.integer({ min: 1, max: 2 ** 40 }),
    bytes: fc.maxSafeNat(),
    timeMs: fc.nat(2 ** 48),
    opensSegment: fc.boolean(),
  });
  fc.assert(
    fc.property(refs, (ref) => {
      expect(decodeTailRef(encodeTailRef(ref), 'it')).toEqual(ref);
    }),
  );
});

test('the time may be before that of the id, when a clock was set back', () => {
  const early = { ...REF, timeMs: 1_795_946_399_000 };

  expect(decodeTailRef(encodeTailRef(early), 'it')).toEqual(early);
});

test('a ref takes 22 bytes as a rule, since each commit is charged for all of them', () => {
  expect(encodeTailRef(REF).length).toBe(22);
});

test('what is cut or longer is refused by name', () => {
  const encoded = encodeTailRef(REF);
  for (let length = 0; length < encoded.length; length++) {
    expect(() => decodeTailRef(encoded.subarray(0, length), 'ref 7')).toThrow(CorruptChunk);
  }
  expect(() => decodeTailRef(Uint8Array.of(...encoded, 0), 'ref 7')).toThrow(
    /^ref 7: bytes behind/,
  );
});
