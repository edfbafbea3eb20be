import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SegmentBuilder, type SegmentChunk } from '../../lib/format/segment-builder.ts';
import { batchOf } from '../support/batches.ts';
import { noise } from '../support/noise.ts';
import {
  atOffsets,
  contentOf,
  packSegment,
  readSegment,
  readSegmentIndex,
} from '../support/segment-objects.ts';
import { wireRecord } from '../support/wire-records.ts';

const KIB = 1024;
const NOW_MS = 1_795_946_400_000;

const chunk = (...bodies: readonly (string | Uint8Array)[]): SegmentChunk => ({
  ...batchOf(...bodies),
  timeMs: NOW_MS,
});
const single = (bytes: number) => chunk(noise(bytes));

/** Messages and bytes of records in each block. */
function blocksOf(chunks: readonly SegmentChunk[]): readonly number[] {
  const { blocks } = readSegmentIndex(packSegment(0, chunks).object);
  return blocks.map(({ base, end }) => end - base);
}

describe('a segment', () => {
  const anyChunks = fc.array(
    fc.record({
      records: fc.array(wireRecord, { minLength: 1, maxLength: 5 }),
      jsonChecked: fc.boolean(),
      wait: fc.oneof(fc.constant(0), fc.nat(100_000)),
      repeated: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.constant(600 * KIB)),
    }),
    { minLength: 1, maxLength: 12 },
  );

  test('P10: gives back the chunks as they were added, whatever they hold', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), anyChunks, (start, parts) => {
        const first = Math.min(start, Number.MAX_SAFE_INTEGER - 1_000);
        let timeMs = 0;
        const chunks = parts.map(({ records, jsonChecked, wait, repeated }) => {
          timeMs += wait;
          const long = { body: new Uint8Array(repeated), contentType: 'text/plain' };
          return { ...contentOf([...records, long]), jsonChecked, timeMs };
        });
        const { object } = packSegment(first, chunks);
        const { first: from, end, blocks } = readSegmentIndex(object);

        expect(readSegment(object)).toEqual(atOffsets(first, chunks));
        expect({ from, end }).toEqual({ from: first, end: blocks.at(-1)?.end });
        expect(end).toBe(first + chunks.reduce((sum, { count }) => sum + count, 0));
      }),
      { numRuns: 40 },
    );
  });

  test('of ten thousand chunks of one message is two blocks', () => {
    const chunks = Array.from({ length: 10_000 }, (_, n) => ({
      ...batchOf(`${n}`),
      timeMs: NOW_MS + n,
    }));
    const { object } = packSegment(7, chunks);

    expect(blocksOf(chunks)).toEqual([8_192, 1_808]);
    expect(readSegment(object)).toEqual(atOffsets(7, chunks));
  });

  test('never splits a chunk: one of 4 MiB is a block of its own', () => {
    const large = chunk(...Array.from({ length: 4 }, () => noise(KIB * KIB)));
    const chunks = [single(10), large, single(10), single(10)];

    expect(blocksOf(chunks)).toEqual([1, 4, 2]);
    expect(readSegment(packSegment(0, chunks).object)).toEqual(atOffsets(0, chunks));
  });

  test.each([
    ['four of a bit above 256 KiB', [256, 256, 256, 256, 1], [4, 1]],
    ['two of 600 KiB', [600, 600, 600], [2, 1]],
    ['two that are too much together', [900, 500], [1, 1]],
    ['exactly what closes a block', [1_024, 1], [1, 1]],
  ])('has blocks of about 1 MiB: %s', (_what, sizesKib, messages) => {
    expect(blocksOf(sizesKib.map((kib) => single(kib * KIB)))).toEqual(messages);
  });

  test('has an index that says of each block what is in it', () => {
    const chunks = [
      { ...chunk('a', 'bc'), timeMs: 5 },
      { ...single(KIB * KIB), timeMs: 5 },
      { ...chunk('d'), timeMs: 9 },
      { ...chunk('ef'), timeMs: 11 },
    ];
    const { object, indexStart } = packSegment(40, chunks);
    const summary = {
      values: new Uint8Array(0),
      keys: new Uint8Array(0),
      headers: new Uint8Array(0),
      hasUnfiltered: true,
    };
    const header = 3;
    const [one, two] = readSegmentIndex(object).blocks.map(({ size }) => size);
    if (one === undefined || two === undefined) throw new Error('no blocks');

    expect(readSegmentIndex(object)).toEqual({
      first: 40,
      end: 45,
      blocks: [
        {
          base: 40,
          end: 43,
          firstTimeMs: 5,
          lastTimeMs: 5,
          bytes: 3 + KIB * KIB,
          start: header,
          size: one,
          summary,
        },
        {
          base: 43,
          end: 45,
          firstTimeMs: 9,
          lastTimeMs: 11,
          bytes: 3,
          start: header + one,
          size: two,
          summary,
        },
      ],
    });
    expect(indexStart).toBe(header + one + two);
  });

  test('shrinks when that pays', () => {
    const { object } = packSegment(0, [chunk('earthquake '.repeat(10_000))]);

    expect(object.length).toBeLessThan(500);
  });
});

describe('a builder', () => {
  test('gives away bytes when a block is complete, and says how many', () => {
    const builder = new SegmentBuilder(3);
    const sizes = [10, 700 * KIB, 700 * KIB, 10].map((size) => builder.add(single(size)).length);

    expect(sizes).toEqual([0, 0, builder.encodedBytes, 0]);
    expect(builder.encodedBytes).toBeGreaterThan(700 * KIB);
    expect(builder.end).toBe(7);
  });

  test('says how long the object is, and where its index begins', () => {
    const builder = new SegmentBuilder(0);
    const given = builder.add(single(2 * KIB * KIB)).length + builder.add(single(10)).length;
    const { rest, indexStart, bytes } = builder.finish();

    expect(bytes).toBe(given + rest.length);
    expect(indexStart).toBe(builder.encodedBytes);
  });

  test('keeps what it was given, though the caller writes over it', () => {
    const given = chunk('as it was');
    const builder = new SegmentBuilder(0);
    builder.add({ ...given, records: given.records });
    const kept = given.records.slice();
    given.records.fill(0);

    const object = builder.finish().rest;
    expect(readSegment(object)).toEqual(atOffsets(0, [{ ...given, records: kept }]));
  });

  test.each([
    ['without messages', { ...chunk('a'), count: 0, records: new Uint8Array(0) }],
    ['of other records than it says', { ...chunk('a', 'b'), count: 1 }],
    ['older than the one before', { ...chunk('a'), timeMs: NOW_MS - 1 }],
  ])('refuses a chunk %s', (_what, wrong) => {
    const builder = new SegmentBuilder(0);
    builder.add(chunk('x'));

    expect(() => builder.add(wrong)).toThrow(Error);
  });

  test('refuses a segment without messages', () => {
    expect(() => new SegmentBuilder(0).finish()).toThrow('without messages');
  });
});
