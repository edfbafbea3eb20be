import { readFileSync } from 'node:fs';
import { crc32, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { BlockBuilder } from '../../lib/format/block-builder.ts';
import { CorruptChunk } from '../../lib/format/corrupt-chunk.ts';
import { decodeSegmentBlock } from '../../lib/format/segment-block.ts';
import type { SegmentChunk } from '../../lib/format/segment-builder.ts';
import { encodeSegmentIndex, type SegmentBlock } from '../../lib/format/segment-index.ts';
import { varintBytes, writeVarint } from '../../lib/wire/varint.ts';
import { batchOf } from '../support/batches.ts';
import { atOffsets, contentOf, readSegment, readSegmentIndex } from '../support/segment-objects.ts';

const NOW_MS = 1_795_946_400_000;
const TEXT = 'text/plain; charset=utf-8';
const bytes = (text: string) => new Uint8Array(Buffer.from(text));

/** The bytes of the golden file, which are written as hex with comments. */
function golden(name: string): Uint8Array {
  const text = readFileSync(new URL(`../golden/${name}`, import.meta.url), 'utf8');
  return new Uint8Array(Buffer.from(text.replace(/#.*/g, '').replace(/\s/g, ''), 'hex'));
}

function blockOf(base: number, chunks: readonly SegmentChunk[]) {
  const builder = new BlockBuilder(base);
  for (const chunk of chunks) builder.add(chunk);
  const { encoded, block } = builder.close();
  return { encoded, block: { ...block, start: 3 } };
}

const PLAIN: readonly SegmentChunk[] = [
  { ...batchOf('a', 'b'), timeMs: NOW_MS },
  { ...batchOf('c'), jsonChecked: true, timeMs: NOW_MS + 7 },
];
const LARGE: readonly SegmentChunk[] = [{ ...batchOf('earthquake '.repeat(200)), timeMs: NOW_MS }];
const SAMPLES = [
  ['as it is', blockOf(300, PLAIN)],
  ['compressed', blockOf(300, LARGE)],
] as const;

describe('a segment object', () => {
  const filtered = '{"x-stream-filter-value":"north,south"}';
  const placed = '{"x-geo-lat":48.5,"x-geo-lon":"-2.25","x-stream-filter-value":"west"}';
  const one = {
    ...contentOf([
      { body: bytes('[1]'), contentType: 'application/json', key: bytes('k') },
      { body: bytes('x'), contentType: TEXT, headers: bytes(filtered) },
    ]),
    jsonChecked: true,
    timeMs: NOW_MS,
  };
  const two = {
    ...contentOf([{ body: bytes('y'), contentType: TEXT, headers: bytes(placed) }]),
    timeMs: NOW_MS + 7,
  };

  test('has the bytes of version 1 for ever', () => {
    const builder = new BlockBuilder(300);
    builder.add(one);
    const first = builder.close();
    builder.add(two);
    const second = builder.close();
    const blocks = [
      { ...first.block, start: 3 },
      { ...second.block, start: 3 + first.encoded.length },
    ];
    const ending = encodeSegmentIndex({ first: 300, end: 303, blocks });
    const object = golden('segment-v1-headers.hex');

    expect(Uint8Array.of(0x56, 0x53, 1, ...first.encoded, ...second.encoded, ...ending)).toEqual(
      object,
    );
    expect(readSegmentIndex(object)).toEqual({ first: 300, end: 303, blocks });
    expect(readSegment(object)).toEqual(atOffsets(300, [one, two]));
  });

  test('of version 1 whose summaries do not tell of headers can be read for ever', () => {
    const object = golden('segment-v1.hex');

    expect(readSegment(object)).toEqual(atOffsets(300, [one, two]));
    const { blocks } = readSegmentIndex(object);
    expect(blocks.map(({ summary }) => summary.headers)).toEqual([undefined, undefined]);
  });

  test('of version 1 that is compressed can be read for ever, whatever zstd writes today', () => {
    const text = { body: bytes('earthquake '.repeat(10)), contentType: TEXT };
    const content = contentOf(Array.from({ length: 20 }, () => text));
    const chunks = [
      { ...content, timeMs: NOW_MS },
      { ...content, timeMs: NOW_MS + 1 },
    ];

    expect(readSegment(golden('segment-v1-zstd.hex'))).toEqual(atOffsets(7, chunks));
  });
});

describe('a block', () => {
  test.each(SAMPLES)('is refused with any one byte changed, stored %s', (_how, sample) => {
    const { encoded, block } = sample;
    for (let position = 0; position < encoded.length; position++) {
      for (let change = 1; change <= 0xff; change += 6) {
        const damaged = encoded.with(position, (encoded[position] ?? 0) ^ change);
        const decode = () => decodeSegmentBlock(damaged, block, 'segment 9');
        expect(decode, `byte ${position} ^ ${change}`).toThrow(CorruptChunk);
      }
    }
  });

  test.each(SAMPLES)('is refused cut off anywhere, stored %s', (_how, { encoded, block }) => {
    for (let length = 0; length < encoded.length; length++) {
      const cut = encoded.subarray(0, length);
      expect(() => decodeSegmentBlock(cut, block, 'segment 9')).toThrow(CorruptChunk);
    }
  });

  test.each(SAMPLES)('is refused with a byte more, stored %s', (_how, { encoded, block }) => {
    const longer = Uint8Array.of(...encoded, 0);

    expect(() => decodeSegmentBlock(longer, block, 'segment 9')).toThrow(CorruptChunk);
  });

  test('that is damaged is named by its object and its offset', () => {
    const { block } = SAMPLES[0][1];

    expect(() => decodeSegmentBlock(new Uint8Array(9), block, 'segment 9')).toThrow(
      'segment 9, block at offset 300: ',
    );
  });

  test.each([
    ['base', { base: 299 }],
    ['end', { end: 304 }],
    ['first time', { firstTimeMs: NOW_MS - 1 }],
    ['last time', { lastTimeMs: NOW_MS + 8 }],
    ['logical bytes', { bytes: 4 }],
  ])('is refused where the index speaks of another: %s', (_what, change: Partial<SegmentBlock>) => {
    const { encoded, block } = SAMPLES[0][1];
    const other = { ...block, ...change };

    expect(() => decodeSegmentBlock(encoded, other, 'segment 9')).toThrow('not the block');
  });

  test('is read without copying what is not compressed', () => {
    const { encoded, block } = SAMPLES[0][1];

    const [first] = decodeSegmentBlock(encoded, block, 'segment 9');
    expect(first?.records.buffer).toBe(encoded.buffer);
  });
});

describe('a block with a checksum that fits', () => {
  const { block } = blockOf(300, PLAIN);
  const records = Buffer.concat(PLAIN.map((chunk) => chunk.records));
  const table = varints(2 * 2, NOW_MS, 6, 2, 2 * 1 + 1, 7, 3, 1);
  const decode = (encoded: Uint8Array) => decodeSegmentBlock(encoded, block, 'a forged block');

  /** {@link PLAIN} as another program might write it. */
  function forged({
    flags = 0,
    chunks = 2,
    recordBytes = records.length,
    tableBytes = table.length,
    payload = new Uint8Array(Buffer.concat([records, table])),
  }): Uint8Array {
    const numbers = varints(300, chunks, recordBytes, tableBytes, payload.length);
    const header = Uint8Array.of(flags, ...numbers);
    const crc = Buffer.alloc(4);
    crc.writeUInt32LE(crc32(payload, crc32(header)));
    return Uint8Array.of(...header, ...crc, ...payload);
  }

  test('is accepted as another program writes it', () => {
    expect(decode(forged({}))).toEqual(atOffsets(300, PLAIN));
  });

  const withTable = (...numbers: readonly number[]) => {
    const other = varints(...numbers);
    const payload = new Uint8Array(Buffer.concat([records, other]));
    return { payload, tableBytes: other.length };
  };

  test.each([
    ['flags that nobody defined', { flags: 2 }],
    ['no chunks', { chunks: 0 }],
    ['fewer chunks than there are', { chunks: 1 }],
    ['more chunks than there are', { chunks: 3 }],
    ['chunks beyond all memory', { chunks: Number.MAX_SAFE_INTEGER }],
    ['more record bytes than there are', { recordBytes: records.length + 1 }],
    ['fewer record bytes than there are', { recordBytes: records.length - 1 }],
    ['a longer table', { tableBytes: table.length + 1 }],
    ['sizes that are right together alone', { recordBytes: records.length + 1, tableBytes: 9 }],
    ['a chunk that ends behind the records', withTable(4, NOW_MS, 6, 2, 3, 7, 4, 1)],
    ['a chunk that ends within the records', withTable(4, NOW_MS, 6, 2, 3, 7, 2, 1)],
    [
      'a chunk without messages',
      { ...withTable(4, NOW_MS, 6, 2, 3, 7, 3, 1, 1, 0, 0, 0), chunks: 3 },
    ],
    ['a table that goes on', withTable(4, NOW_MS, 6, 2, 3, 7, 3, 1, 0)],
    ['bytes behind the table', { payload: new Uint8Array(Buffer.concat([records, table, table])) }],
    ['another count', withTable(6, NOW_MS, 6, 2, 3, 7, 3, 1)],
    ['compressed bytes that are none', { flags: 1 }],
  ])('is refused with %s', (_what, change) => {
    expect(() => decode(forged(change))).toThrow(CorruptChunk);
  });

  test('is refused when it would grow beyond what it says', () => {
    const payload = new Uint8Array(zstdCompressSync(new Uint8Array(1_000_000)));

    expect(() => decode(forged({ flags: 1, payload }))).toThrow(/larger than \d+ bytes/);
  });

  test('takes no memory for what it only says there is', () => {
    const payload = new Uint8Array(zstdCompressSync(new Uint8Array(100)));
    const before = process.memoryUsage().arrayBuffers;

    expect(() => decode(forged({ flags: 1, payload, recordBytes: 2 ** 30 }))).toThrow(CorruptChunk);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
  });
});

function varints(...numbers: readonly number[]): Uint8Array {
  const target = new Uint8Array(numbers.reduce((sum, n) => sum + varintBytes(n), 0));
  numbers.reduce((position, n) => writeVarint(target, n, position), 0);
  return target;
}
