import { readFileSync } from 'node:fs';
import { crc32, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ChunkContent, decodeChunk, encodeChunk } from '../../lib/format/chunk.ts';
import { CorruptChunk } from '../../lib/format/corrupt-chunk.ts';
import { noise } from '../support/noise.ts';

const decode = (chunk: Uint8Array) => decodeChunk(chunk, 'chunk at 7');

const small: ChunkContent = {
  count: 2,
  records: Uint8Array.of(4, 0, 0x5b, 0x31, 0x5d, 2, 1, 0x78),
  bytes: 4,
  jsonChecked: true,
};
const large: ChunkContent = {
  count: 100,
  records: new Uint8Array(Buffer.from('earthquake '.repeat(200))),
  bytes: 2_000,
  jsonChecked: false,
};

const content = fc.record({
  count: fc.integer({ min: 1, max: 10_000 }),
  records: fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.uint8Array({ minLength: 1_000, maxLength: 1_100 }),
    fc.nat(100_000).map((length) => new Uint8Array(length).fill(7)),
  ),
  bytes: fc.nat(Number.MAX_SAFE_INTEGER),
  jsonChecked: fc.boolean(),
});

/** The bytes of the golden file, which are written as hex with comments. */
function golden(name: string): Uint8Array {
  const text = readFileSync(new URL(`../golden/${name}`, import.meta.url), 'utf8');
  return new Uint8Array(Buffer.from(text.replace(/#.*/g, '').replace(/\s/g, ''), 'hex'));
}

describe('a chunk', () => {
  test('survives the round trip', () => {
    fc.assert(
      fc.property(content, (original) => {
        expect(decode(encodeChunk(original))).toEqual(original);
      }),
    );
  });

  test('has the bytes of version 1 for ever', () => {
    expect(encodeChunk(small)).toEqual(golden('chunk-v1.hex'));
    expect(decode(golden('chunk-v1.hex'))).toEqual(small);
  });

  test('of version 1 that is compressed can be read for ever, whatever zstd writes today', () => {
    expect(decode(golden('chunk-v1-zstd.hex'))).toEqual(large);
  });

  test.each([
    ['1023 bytes that would shrink', new Uint8Array(1_023), false],
    ['1024 bytes that shrink', new Uint8Array(1_024), true],
    ['bytes without any order', noise(100_000), false],
    [
      'bytes that shrink by a tenth',
      Uint8Array.of(...noise(9_000), ...new Uint8Array(1_000)),
      false,
    ],
    [
      'bytes that shrink by a fifth',
      Uint8Array.of(...noise(8_000), ...new Uint8Array(2_000)),
      true,
    ],
  ])('is compressed when that pays: %s', (_what, records, isCompressed) => {
    const chunk = encodeChunk({ ...small, records });

    expect(chunk[3]).toBe(isCompressed ? 3 : 2);
    expect(decode(chunk).records).toEqual(records);
  });

  test('reads out of a larger buffer without copying what is not compressed', () => {
    const around = new Uint8Array(500);
    around.set(encodeChunk(small), 100);
    const { records } = decode(around.subarray(100, 100 + encodeChunk(small).length));

    expect(records).toEqual(small.records);
    expect(records.buffer).toBe(around.buffer);
  });
});

describe('a damaged chunk', () => {
  const samples = [
    ['as it is', encodeChunk(small)],
    ['compressed', encodeChunk(large)],
  ] as const;

  test.each(samples)('is refused with any one byte changed, stored %s', (_how, chunk) => {
    for (let position = 0; position < chunk.length; position++) {
      for (let change = 1; change <= 0xff; change++) {
        const damaged = chunk.slice();
        damaged[position] = (damaged[position] ?? 0) ^ change;
        expect(() => decode(damaged), `byte ${position} ^ ${change}`).toThrow(CorruptChunk);
      }
    }
  });

  test.each(samples)('is refused cut off anywhere, stored %s', (_how, chunk) => {
    for (let length = 0; length < chunk.length; length++) {
      expect(() => decode(chunk.subarray(0, length)), `${length} bytes`).toThrow(CorruptChunk);
    }
  });

  test.each(samples)('is refused with a byte more, stored %s', (_how, chunk) => {
    expect(() => decode(Uint8Array.of(...chunk, 0))).toThrow(CorruptChunk);
  });

  test('is named by what was being read', () => {
    expect(() => decode(new Uint8Array(9))).toThrow('chunk at 7: no chunk of version 1');
  });
});

describe('a chunk with a checksum that fits', () => {
  test('is accepted as another program writes it', () => {
    expect(decode(forged({}))).toEqual(small);
  });

  test.each([
    ['flags that nobody defined', { flags: 4 | 2 }],
    ['more record bytes than there are', { recordBytes: 9 }],
    ['fewer record bytes than there are', { recordBytes: 7 }],
    ['compressed bytes that are none', { flags: 1 | 2 }],
    ['another version', { version: 2 }],
  ])('is refused with %s', (_what, change) => {
    expect(() => decode(forged(change))).toThrow(CorruptChunk);
  });

  test('is refused when it would grow beyond what it says', () => {
    const payload = zstdCompressSync(new Uint8Array(1_000_000));
    const header = Uint8Array.of(0x56, 0x43, 1, 1, 2, 4, 64, payload.length);
    const chunk = sealed(header, payload);

    expect(() => decode(chunk)).toThrow(CorruptChunk);
  });

  test('takes no memory for records that it only says there are', () => {
    const gibibyte = [0x80, 0x80, 0x80, 0x80, 0x04];
    const payload = zstdCompressSync(new Uint8Array(100));
    const header = Uint8Array.of(0x56, 0x43, 1, 1, 2, 4, ...gibibyte, payload.length);
    const before = process.memoryUsage().arrayBuffers;

    expect(() => decode(sealed(header, payload))).toThrow(CorruptChunk);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
  });
});

/** {@link small} as another program might write it. */
function forged({ version = 1, flags = 2, recordBytes = 8 }): Uint8Array {
  const header = Uint8Array.of(0x56, 0x43, version, flags, 2, 4, recordBytes, 8);
  return sealed(header, small.records);
}

function sealed(header: Uint8Array, payload: Uint8Array): Uint8Array {
  const crc = Buffer.alloc(4);
  crc.writeUInt32LE(crc32(payload, crc32(header)));
  return Uint8Array.of(...header, ...crc, ...payload);
}
