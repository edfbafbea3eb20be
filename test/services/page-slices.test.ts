import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StoredChunk } from '../../lib/ports/log-store.ts';
import { type PageBounds, type Slices, takeSlices } from '../../lib/services/page-slices.ts';
import { decodeRecord } from '../../lib/wire/record.ts';
import { VarintReader } from '../../lib/wire/varint.ts';
import { at, batchOf } from '../support/batches.ts';

interface Message {
  readonly offset: number;
  readonly timeMs: number;
  readonly body: string;
}

/** Consecutive chunks from `base` on, each with messages of these sizes. */
function chunksOf(
  base: number,
  parts: readonly { readonly sizes: readonly number[]; readonly timeMs: number }[],
): StoredChunk[] {
  let next = base;
  return parts.map(({ sizes, timeMs }) => {
    const bodies = sizes.map((size, index) => `${next + index}`.padStart(size, '.').slice(0, size));
    const chunk = { ...batchOf(...bodies), base: at(next), timeMs };
    next += sizes.length;
    return chunk;
  });
}

function messagesIn(chunks: readonly StoredChunk[]): Message[] {
  return chunks.flatMap(({ base, count, timeMs, records }) => {
    const reader = new VarintReader(records);
    return Array.from({ length: count }, (_, index) => {
      const body = Buffer.from(decodeRecord(reader).body).toString();
      return { offset: base + index, timeMs, body };
    });
  });
}

/** Message by message, as the rules are written. */
function sliceNaively(chunks: readonly StoredChunk[], bounds: PageBounds) {
  const { from, end, limit, bytesMax, firstBytesMax, untilMs } = bounds;
  const taken: Message[] = [];
  let bytes = 0;
  const result = (ended: Slices['ended']) => ({ taken, bytes, next: from + taken.length, ended });
  const wanted = messagesIn(chunks).filter(({ offset }) => offset >= from && offset < end);
  for (const message of wanted) {
    const size = message.body.length;
    if (untilMs !== undefined && message.timeMs >= untilMs) return result('until');
    if (limit <= 0) return result('limit');
    const isFirst = taken.length === 0 && size <= firstBytesMax;
    if (bytes + size > bytesMax && !isFirst) return result('bytes');
    taken.push(message);
    bytes += size;
    if (taken.length >= limit) return result('limit');
  }
  return result('chunks');
}

function summary({ chunks, bytes, next, ended }: Slices) {
  return { taken: messagesIn(chunks), bytes, next, ended };
}

const WIDE = { limit: 100, bytesMax: 1_000, firstBytesMax: Number.POSITIVE_INFINITY };

const part = fc.record({
  sizes: fc.array(fc.nat(12), { minLength: 1, maxLength: 6 }),
  timeMs: fc.nat(9),
});
const cases = fc
  .record({
    base: fc.nat(1_000),
    parts: fc.array(part, { minLength: 1, maxLength: 6 }),
    limit: fc.integer({ min: -1, max: 30 }),
    bytesMax: fc.nat(150),
    firstBytesMax: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.nat(15)),
    untilMs: fc.option(fc.nat(10), { nil: undefined }),
    skip: fc.nat(5),
    cut: fc.nat(5),
  })
  .map(({ base, parts, skip, cut, untilMs, ...rest }) => {
    const rising = parts.toSorted((a, b) => a.timeMs - b.timeMs);
    const chunks = chunksOf(base, rising);
    const [first = 1, last = 1] = [rising[0]?.sizes.length, rising.at(-1)?.sizes.length];
    const total = rising.reduce((sum, { sizes }) => sum + sizes.length, 0);
    const from = base + Math.min(skip, first - 1);
    const end = Math.max(base + total - Math.min(cut, last - 1), from + 1);
    const bounds = {
      ...rest,
      from: at(from),
      end: at(end),
      ...(untilMs !== undefined && { untilMs }),
    };
    return { chunks, bounds };
  });

test('LR4 O4: a page is what taking message by message gives', () => {
  fc.assert(
    fc.property(cases, ({ chunks, bounds }) => {
      const slices = takeSlices(chunks, bounds);

      expect(summary(slices)).toEqual(sliceNaively(chunks, bounds));
      expect(slices.count).toBe(messagesIn(slices.chunks).length);
      expect(slices.chunks.map(({ bytes }) => bytes)).toEqual(
        slices.chunks.map((chunk) =>
          messagesIn([chunk]).reduce((sum, { body }) => sum + body.length, 0),
        ),
      );
    }),
    { numRuns: 2_000 },
  );
});

test('LR4: pages that follow one another give every message once', () => {
  fc.assert(
    fc.property(
      cases,
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 1, max: 30 }),
      ({ chunks }, limit, bytesMax) => {
        const all = messagesIn(chunks);
        const end = at((all.at(-1)?.offset ?? 0) + 1);
        const given: Message[] = [];
        for (let from = chunks[0]?.base ?? at(0); from < end; ) {
          const left = chunks.filter(({ base, count }) => base + count > from);
          const page = takeSlices(left, { ...WIDE, from, end, limit, bytesMax });
          given.push(...messagesIn(page.chunks));
          from = page.next;
        }

        expect(given).toEqual(all);
      },
    ),
  );
});

describe('a chunk', () => {
  const chunks = chunksOf(10, [
    { sizes: [4, 4, 4], timeMs: 1 },
    { sizes: [4, 4], timeMs: 2 },
  ]);

  test('LR4: that fits as a whole is passed on untouched', () => {
    const page = takeSlices(chunks, { ...WIDE, from: at(10), end: at(15) });

    expect(page.chunks[0]).toBe(chunks[0]);
    expect(page.chunks[1]).toBe(chunks[1]);
    expect(page).toMatchObject({ count: 5, bytes: 20, next: 15, ended: 'chunks' });
  });

  test('O4: is cut to begin at the offset asked for', () => {
    const page = takeSlices(chunks, { ...WIDE, from: at(11), end: at(15) });

    expect(page.chunks[0]).toMatchObject({ base: 11, count: 2, bytes: 8, timeMs: 1 });
    expect(page.chunks[1]).toBe(chunks[1]);
  });

  test('O4: is cut to end at what was published when the reader looked', () => {
    const page = takeSlices(chunks, { ...WIDE, from: at(10), end: at(14) });

    expect(page).toMatchObject({ count: 4, next: 14, ended: 'chunks' });
  });

  test('O4: that does not hold the offset asked for is a fault', () => {
    expect(() => takeSlices(chunks, { ...WIDE, from: at(9), end: at(15) })).toThrow('outside');
    expect(() => takeSlices(chunks, { ...WIDE, from: at(13), end: at(15) })).toThrow('outside');
  });
});
