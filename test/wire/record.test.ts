import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodeRecord,
  encodeRecords,
  recordBytes,
  recordHeaders,
  recordStart,
  skipRecord,
} from '../../lib/wire/record.ts';
import { Malformed, VarintReader } from '../../lib/wire/varint.ts';
import { wireRecord } from '../support/wire-records.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => decodeRecord(new VarintReader(bytes));
const skip = (bytes: Uint8Array) => skipRecord(new VarintReader(bytes));

const full = {
  body: utf8('body'),
  contentType: 'image/png',
  key: utf8('k'),
  routingKey: utf8(''),
  headers: utf8('{"n":1.10}'),
  properties: utf8('{"priority":3}'),
};

describe('records', () => {
  test('survive the round trip, one after the other', () => {
    fc.assert(
      fc.property(fc.array(wireRecord, { maxLength: 8 }), (records) => {
        const reader = new VarintReader(encodeRecords(records));

        expect(records.map(() => decodeRecord(reader))).toEqual(records);
        expect(reader.position).toBe(reader.source.length);
      }),
    );
  });

  test('are found and measured without being decoded', () => {
    fc.assert(
      fc.property(fc.array(wireRecord, { maxLength: 8 }), (records) => {
        const encoded = encodeRecords(records);
        const reader = new VarintReader(encoded);
        const starts = records.map((_, index) => recordStart(encoded, index));

        for (const [index, record] of records.entries()) {
          expect(reader.position).toBe(starts[index]);
          expect(recordHeaders(reader)).toEqual(record.headers);
          expect(reader.position).toBe(starts[index]);
          expect(skipRecord(reader)).toBe(recordBytes(record));
          expect(decode(encoded.subarray(starts[index]))).toEqual(record);
        }
        expect(recordStart(encoded, records.length)).toBe(encoded.length);
      }),
    );
  });

  test('have the size of their parts, not of what is around them', () => {
    expect(recordBytes(full)).toBe(4 + 1 + 0 + 10 + 14);
    expect(recordBytes({ body: utf8(''), contentType: 'a/b' })).toBe(0);
  });

  test('are views of their source', () => {
    const encoded = encodeRecords([full]);
    const { body, key, headers } = decode(encoded);

    for (const part of [body, key, headers]) expect(part?.buffer).toBe(encoded.buffer);
  });
});

describe('a record that is not whole', () => {
  test('is refused cut off anywhere', () => {
    fc.assert(
      fc.property(wireRecord, (record) => {
        const encoded = encodeRecords([record]);
        for (let length = 0; length < encoded.length; length++) {
          const cut = encoded.subarray(0, length);
          expect(() => decode(cut)).toThrow(Malformed);
          expect(() => skip(cut)).toThrow(Malformed);
          expect(() => recordStart(cut, 1)).toThrow(Malformed);
        }
      }),
    );
  });

  test('is refused with a length below that of its parts, whatever follows', () => {
    const encoded = encodeRecords([full]);
    const parts = encoded.length - 1 - full.body.length;
    for (let length = 0; length < parts; length++) {
      const forged = Uint8Array.of(length, ...encoded.subarray(1), ...new Uint8Array(100));
      expect(() => decode(forged), `${length}`).toThrow(Malformed);
      expect(() => skip(forged), `${length}`).toThrow(Malformed);
    }
  });

  test.each([0x40, 0x80, 0xc0, 0xff])('is refused with a form that nobody defined: %d', (form) => {
    expect(() => decode(Uint8Array.of(2, form, 0x61))).toThrow('unknown form bits');
  });

  test('never leads a reader backwards, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const reader = new VarintReader(bytes);
        for (let position = 0; reader.position < bytes.length; position = reader.position) {
          try {
            skipRecord(reader);
          } catch (error) {
            expect(error).toBeInstanceOf(Malformed);
            return;
          }
          expect(reader.position).toBeGreaterThan(position);
        }
      }),
    );
  });
});
