import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type BlockSummary,
  decodeBlockSummary,
  encodeBlockSummary,
  mayHoldHeader,
  mayHoldKey,
  mayHoldValue,
} from '../../lib/format/block-summary.ts';
import { CorruptChunk } from '../../lib/format/corrupt-chunk.ts';
import { SummaryBuilder } from '../../lib/format/summary-builder.ts';
import { encodeRecords, type WireRecord } from '../../lib/wire/record.ts';
import { VarintReader } from '../../lib/wire/varint.ts';
import { wireRecord } from '../support/wire-records.ts';

const bytes = (text: string) => new Uint8Array(Buffer.from(text));

function summarize(...chunks: readonly (readonly WireRecord[])[]): BlockSummary {
  const builder = new SummaryBuilder();
  for (const records of chunks) builder.add(encodeRecords(records), records.length);
  return builder.finish();
}

function message(parts: { key?: string; headers?: object }): WireRecord {
  return {
    body: bytes('1'),
    contentType: 'application/json',
    ...(parts.key !== undefined && { key: bytes(parts.key) }),
    ...(parts.headers && { headers: bytes(JSON.stringify(parts.headers)) }),
  };
}

const filtered = (value: string) => message({ headers: { 'x-stream-filter-value': value } });
const placed = (lat: unknown, lon: unknown) =>
  message({ headers: { 'x-geo-lat': lat, 'x-geo-lon': lon } });

describe('a summary', () => {
  test('never rules out a value, a key or a place that is there', () => {
    const value = fc.string({ unit: 'binary', maxLength: 8 });
    const part = fc.record({
      key: fc.string({ maxLength: 8 }),
      values: fc.option(fc.array(value, { minLength: 1, maxLength: 3 })),
      lat: fc.double({ min: -90, max: 90, noNaN: true }),
      lon: fc.double({ min: -180, max: 180, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(fc.array(part, { maxLength: 5 }), { maxLength: 5 }), (chunks) => {
        const parts = chunks.flat();
        const summary = summarize(
          ...chunks.map((chunk) =>
            chunk.map(({ key, values, lat, lon }) => {
              const value = values === null ? {} : { 'x-stream-filter-value': values.join(',') };
              return message({ key, headers: { 'x-geo-lat': lat, 'x-geo-lon': lon, ...value } });
            }),
          ),
        );
        const values = parts.flatMap((one) => one.values?.flatMap((text) => text.split(',')) ?? []);
        const { minLat, maxLat, minLon, maxLon } = summary.bounds ?? NO_BOUNDS;

        expect(values.filter((text) => !mayHoldValue(summary, text))).toEqual([]);
        expect(parts.filter(({ key }) => !mayHoldKey(summary, bytes(key)))).toEqual([]);
        expect(summary.hasUnfiltered).toBe(parts.some((one) => one.values === null));
        expect(parts.every(({ lat }) => minLat <= lat && lat <= maxLat)).toBe(true);
        expect(parts.every(({ lon }) => minLon <= lon && lon <= maxLon)).toBe(true);
      }),
    );
  });

  test('of messages that are bodies alone holds nothing', () => {
    const nothing = new Uint8Array(0);
    const plain = { values: nothing, keys: nothing, headers: nothing, hasUnfiltered: true };

    expect(summarize([message({}), message({})], [message({})])).toEqual(plain);
  });

  test('rules out most values and keys that are not there', () => {
    const summary = summarize([filtered('north'), message({ key: 'k' })]);

    expect(['south', 'North', 'north ', 'k'].filter((v) => mayHoldValue(summary, v))).toEqual([]);
    expect(['K', '', 'north'].filter((key) => mayHoldKey(summary, bytes(key)))).toEqual([]);
  });

  test.each([
    ['each has one', [filtered('a'), filtered('')], false],
    ['one has none', [filtered('a'), message({ key: 'a' })], true],
    ['one has other headers', [filtered('a'), message({ headers: { a: 1 } })], true],
    ['one is a body alone', [filtered('a'), message({})], true],
  ])('tells whether a message has no filter value: %s', (_what, records, hasUnfiltered) => {
    expect(summarize(records).hasUnfiltered).toBe(hasUnfiltered);
  });

  test('has the bounds of usable coordinates alone', () => {
    const records = [placed(10, '20.5'), placed('-3', 7), placed(91, 0), placed(50, null)];

    const bounds = { minLat: -3, maxLat: 10, minLon: 7, maxLon: 20.5 };
    expect(summarize(records).bounds).toEqual(bounds);
    expect(summarize([placed(91, 0)]).bounds).toBeUndefined();
  });

  test('takes records of every form', () => {
    fc.assert(
      fc.property(fc.array(wireRecord, { maxLength: 10 }), (records) => {
        const summary = summarize(records);
        const keys = records.flatMap(({ key }) => (key === undefined ? [] : [key]));
        expect(keys.every((key) => mayHoldKey(summary, key))).toBe(true);
      }),
    );
  });

  test('never rules out a header that equals a text', () => {
    const value = fc.oneof(fc.string({ maxLength: 6 }), fc.double(), fc.integer(), fc.boolean());
    const headers = fc.dictionary(fc.string({ minLength: 1, maxLength: 3 }), value, { maxKeys: 3 });
    fc.assert(
      fc.property(fc.array(headers, { maxLength: 300 }), (all) => {
        const summary = summarize(all.map((one) => message({ headers: one })));
        const texts = all.flatMap((one) => Object.entries(JSON.parse(JSON.stringify(one))));
        const missed = texts.filter(([name, text]) => !mayHoldHeader(summary, name, String(text)));
        expect(missed).toEqual([]);
      }),
    );
  });

  test.each(['1.0', '1', '1.00', '10e-1'])('never rules out the number written as %s', (digits) => {
    const headers = bytes(`{"n":${digits}}`);
    const summary = summarize([{ ...message({}), headers }]);

    expect(mayHoldHeader(summary, 'n', digits)).toBe(true);
  });

  test('rules out most headers that equal other texts', () => {
    const summary = summarize([message({ headers: { city: 'Bern', n: 7, list: ['x'] } })]);
    const others = [
      ['city', 'bern'],
      ['town', 'Bern'],
      ['n', '8'],
      ['list', 'x'],
      ['', ''],
    ] as const;

    expect(others.filter(([name, text]) => mayHoldHeader(summary, name, text))).toEqual([]);
  });

  test('says of a header with a text for each message only that it is there', () => {
    const numbered = Array.from({ length: 9_000 }, (_, id) => message({ headers: { id, a: 'b' } }));
    const summary = summarize(numbered);

    expect(mayHoldHeader(summary, 'id', '123456789')).toBe(true);
    expect(mayHoldHeader(summary, 'a', 'b')).toBe(true);
    expect(mayHoldHeader(summary, 'a', 'c')).toBe(false);
    expect(summary.headers?.length).toBe(8);
  });

  test('of an older writer holds any header', () => {
    const summary = withoutHeaders(summarize([message({})]));

    expect(mayHoldHeader(summary, 'a', 'b')).toBe(true);
  });

  test.each([
    ['fewer', 1],
    ['more', 3],
  ])('is refused of records that are %s than they say', (_what, count) => {
    const records = encodeRecords([message({}), message({})]);

    expect(() => new SummaryBuilder().add(records, count)).toThrow(Error);
  });
});

function withoutHeaders({ headers: _, ...rest }: BlockSummary): BlockSummary {
  return rest;
}

const NO_BOUNDS = { minLat: 99, maxLat: -99, minLon: 999, maxLon: -999 };

describe('an encoded summary', () => {
  const full: BlockSummary = {
    values: Uint8Array.of(1, 2, 3),
    keys: new Uint8Array(200).fill(7),
    headers: Uint8Array.of(4, 5),
    hasUnfiltered: true,
    bounds: { minLat: -90, maxLat: 0.1, minLon: -0, maxLon: 180 },
  };
  const nothing = new Uint8Array(0);
  const none = { values: nothing, keys: nothing, headers: nothing, hasUnfiltered: false };

  test.each([
    ['full', full],
    ['empty', none],
    ['of an older writer, which did not look at headers', withoutHeaders(full)],
    ['of messages without coordinates', { ...none, keys: full.keys }],
  ])('survives the round trip: %s', (_what, summary) => {
    const around = Uint8Array.of(9, ...encodeBlockSummary(summary), 9);
    const reader = new VarintReader(around, 1);

    expect(decodeBlockSummary(reader)).toEqual(summary);
    expect(reader.position).toBe(around.length - 1);
  });

  test('is refused with flags that nobody defined', () => {
    const encoded = encodeBlockSummary(full).with(0, 8);

    expect(() => decodeBlockSummary(new VarintReader(encoded))).toThrow(CorruptChunk);
  });

  test('is refused cut off anywhere', () => {
    const encoded = encodeBlockSummary(full);
    for (let length = 0; length < encoded.length; length++) {
      const cut = new VarintReader(encoded.subarray(0, length));
      expect(() => decodeBlockSummary(cut), `${length} bytes`).toThrow('cut off');
    }
  });
});
