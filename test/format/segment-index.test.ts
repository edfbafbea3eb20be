import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { CorruptChunk } from '../../lib/format/corrupt-chunk.ts';
import {
  decodeSegmentFooter,
  decodeSegmentIndex,
  encodeSegmentIndex,
  SEGMENT_FOOTER_BYTES,
  type SegmentBlock,
} from '../../lib/format/segment-index.ts';
import { batchOf } from '../support/batches.ts';
import { packSegment, readSegment } from '../support/segment-objects.ts';

const NOW_MS = 1_795_946_400_000;
const SUMMARY = { values: new Uint8Array(0), keys: Uint8Array.of(1), hasUnfiltered: true };
const ONE: SegmentBlock = {
  base: 300,
  end: 310,
  firstTimeMs: NOW_MS,
  lastTimeMs: NOW_MS + 9,
  bytes: 5_000,
  start: 3,
  size: 1_000,
  summary: SUMMARY,
};
const TWO: SegmentBlock = {
  base: 310,
  end: 2 ** 52,
  firstTimeMs: NOW_MS + 9,
  lastTimeMs: NOW_MS + 9,
  bytes: 2 ** 52,
  start: 1_003,
  size: 2 ** 40,
  summary: { ...SUMMARY, bounds: { minLat: 1, maxLat: 2, minLon: 3, maxLon: 4 } },
};
const INDEX = { first: 300, end: 2 ** 52, blocks: [ONE, TWO] };

describe('an index', () => {
  const encoded = encodeSegmentIndex(INDEX);
  const decode = (bytes: Uint8Array) => decodeSegmentIndex(bytes, 'segment 9');

  test('survives the round trip', () => {
    expect(decode(encoded)).toEqual(INDEX);
  });

  test('is found by the footer, in any bytes of the end', () => {
    const found = { indexStart: 1_003 + 2 ** 40, objectBytes: 1_003 + 2 ** 40 + encoded.length };
    const last = encoded.subarray(-SEGMENT_FOOTER_BYTES);

    expect(SEGMENT_FOOTER_BYTES).toBe(23);
    expect(decodeSegmentFooter(last, 'segment 9')).toEqual(found);
    expect(decodeSegmentFooter(Uint8Array.of(1, 2, 3, ...encoded), 'segment 9')).toEqual(found);
  });

  test('is refused with any one byte changed', () => {
    for (let position = 0; position < encoded.length; position++) {
      for (let change = 1; change <= 0xff; change++) {
        const damaged = encoded.with(position, (encoded[position] ?? 0) ^ change);
        expect(() => decode(damaged), `byte ${position} ^ ${change}`).toThrow(CorruptChunk);
      }
    }
  });

  test('is refused cut off at either end, or with a byte more', () => {
    for (let length = 0; length < encoded.length; length++) {
      expect(() => decode(encoded.subarray(0, length)), `first ${length}`).toThrow(CorruptChunk);
      expect(() => decode(encoded.subarray(-length || encoded.length + 1))).toThrow(CorruptChunk);
    }
    expect(() => decode(Uint8Array.of(0, ...encoded))).toThrow('bytes, not');
    expect(() => decode(Uint8Array.of(...encoded, 0))).toThrow(CorruptChunk);
  });

  test('that is damaged is named', () => {
    expect(() => decode(encoded.with(0, 9))).toThrow('segment 9, its index: ');
    expect(() => decode(new Uint8Array(5))).toThrow('segment 9, its footer: ');
  });
});

describe('with checksums that fit', () => {
  test('an index is refused whose blocks have no messages', () => {
    const encoded = encodeSegmentIndex({ ...INDEX, blocks: [{ ...ONE, end: ONE.base }] });

    expect(() => decodeSegmentIndex(encoded, 'it')).toThrow('0 messages');
  });

  test('an index is refused without blocks', () => {
    const encoded = encodeSegmentIndex({ first: 0, end: 0, blocks: [] });

    expect(() => decodeSegmentIndex(encoded, 'it')).toThrow(CorruptChunk);
  });

  test.each([
    ['offsets', { base: 0, end: Number.MAX_SAFE_INTEGER }],
    ['times', { firstTimeMs: NOW_MS + 10, lastTimeMs: 2 ** 53 }],
  ])('an index is refused whose %s are beyond 2^53 - 1', (_what, change) => {
    const blocks = [ONE, { ...TWO, ...change }];
    const encoded = encodeSegmentIndex({ ...INDEX, blocks });

    expect(() => decodeSegmentIndex(encoded, 'it')).toThrow('messages at 310');
  });

  test('an index is refused whose blocks end elsewhere than it begins', () => {
    const encoded = encodeSegmentIndex(INDEX);
    const moved = withFooter(encoded, 2_000, 2_000 + encoded.length);

    expect(() => decodeSegmentIndex(moved, 'it')).toThrow('an index at 2000');
  });

  test.each([
    ['within the magic', 3, 1_000],
    ['in the footer', 1_000 - 23 - 4, 1_000],
    ['behind the end', 2_000, 1_000],
    ['beyond 2^53', 2 ** 60, 2 ** 61],
    ['of an object shorter than what was read', 5, 40],
  ])('a footer is refused with an index that begins %s', (_what, indexStart, objectBytes) => {
    const footer = withFooter(encodeSegmentIndex(INDEX), indexStart, objectBytes);

    expect(() => decodeSegmentFooter(footer, 'it')).toThrow('an index at');
  });

  test('a footer is refused of another version', () => {
    const encoded = encodeSegmentIndex(INDEX);

    expect(() => decodeSegmentFooter(encoded.with(-1, 2), 'it')).toThrow('no segment of version 1');
  });
});

test('no byte of an object can be changed so that it gives anything else', () => {
  const chunks = [
    { ...batchOf('a', 'b'), timeMs: NOW_MS },
    { ...batchOf('earthquake '.repeat(200)), timeMs: NOW_MS + 3 },
  ];
  const { object } = packSegment(300, chunks);
  const whole = readSegment(object);
  // Of the first bytes readers know nothing: they come from the end.
  for (let position = 0; position < 3; position++) {
    expect(readSegment(object.with(position, 0))).toEqual(whole);
  }
  for (let position = 3; position < object.length; position++) {
    for (let bit = 0; bit < 8; bit++) {
      const damaged = object.with(position, (object[position] ?? 0) ^ (1 << bit));
      expect(() => readSegment(damaged), `bit ${bit} of byte ${position}`).toThrow(CorruptChunk);
    }
  }
  for (let length = 0; length < object.length; length++) {
    expect(() => readSegment(object.subarray(0, length)), `${length} bytes`).toThrow(CorruptChunk);
  }
});

/** With the footer of another object behind the index. */
function withFooter(encoded: Uint8Array, indexStart: number, objectBytes: number): Uint8Array {
  const footer = Buffer.alloc(20);
  footer.writeBigUInt64LE(BigInt(indexStart), 0);
  footer.writeBigUInt64LE(BigInt(objectBytes), 8);
  footer.writeUInt32LE(crc32(footer.subarray(0, 16)), 16);
  const changed = encoded.slice();
  changed.set(footer, changed.length - SEGMENT_FOOTER_BYTES);
  return changed;
}
