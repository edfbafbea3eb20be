import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeFrames, encodeFrame, encodeFrameHeader, type Frame } from '../../lib/wire/frame.ts';
import { decodeRecord, encodeRecords, type WireRecord } from '../../lib/wire/record.ts';
import { Malformed, VarintReader } from '../../lib/wire/varint.ts';
import { risingIds, wireRecord } from '../support/wire-records.ts';

const frame: fc.Arbitrary<Frame> = fc
  .array(wireRecord, { minLength: 1, maxLength: 5 })
  .chain((records) => {
    const position = fc.record({ base: fc.maxSafeNat(), timestampMs: fc.maxSafeNat() });
    return fc.record(
      {
        count: fc.constant(records.length),
        records: fc.constant(encodeRecords(records)),
        position,
        publishingIds: risingIds(records.length),
      },
      { requiredKeys: ['count', 'records'] },
    );
  });

const encode = (frames: readonly Frame[]) =>
  new Uint8Array(Buffer.concat(frames.flatMap((each) => [encodeFrameHeader(each), each.records])));

describe('frames', () => {
  test('survive the round trip, one after the other', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 4 }), (frames) => {
        expect(decodeFrames(encode(frames))).toEqual(frames);
      }),
    );
  });

  test('are refused cut off anywhere but between two of them', () => {
    fc.assert(
      fc.property(fc.array(frame, { minLength: 1, maxLength: 2 }), (frames) => {
        const encoded = encode(frames);
        const ends = frames.map((_, index) => encode(frames.slice(0, index)).length);
        for (let length = 0; length < encoded.length; length++) {
          if (ends.includes(length)) continue;
          expect(() => decodeFrames(encoded.subarray(0, length))).toThrow(Malformed);
        }
      }),
    );
  });

  test('are the same from messages that were encoded one by one', () => {
    fc.assert(
      fc.property(fc.array(wireRecord, { maxLength: 5 }), fc.boolean(), (records, isNamed) => {
        const publishingIds = isNamed ? records.map((_, index) => index * 300) : undefined;
        const each = records.map((record) => encodeRecords([record]));
        const ids = publishingIds && { publishingIds };
        const whole = { count: records.length, records: encodeRecords(records), ...ids };

        expect(encodeFrame(each, publishingIds)).toEqual(encode([whole]));
      }),
    );
  });

  test('are none in nothing', () => {
    expect(decodeFrames(new Uint8Array())).toEqual([]);
  });
});

describe('a frame is refused', () => {
  const good = [0x56, 1, 0, 1, 3, 2, 0, 0x31];

  test.each([
    ['with another magic', [0x57, ...good.slice(1)], 'no frame of version 1 at 0'],
    ['of version 0', [0x56, 0, ...good.slice(2)], 'no frame of version 1 at 0'],
    ['of version 2', [0x56, 2, ...good.slice(2)], 'no frame of version 1 at 0'],
    ['with flag 4', [0x56, 1, 4, ...good.slice(3)], 'frame at 0 has unknown flags 4'],
    ['with flag 128', [0x56, 1, 0x83, ...good.slice(3)], 'frame at 0 has unknown flags 131'],
    ['as JSON', [...Buffer.from('{"messages":[]}')], 'no frame of version 1 at 0'],
    ['behind a good one', [...good, 0x56, 9, 0], 'no frame of version 1 at 8'],
    [
      'with ids above 2^53 - 1',
      [0x56, 1, 2, 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 0],
      'publishing id above 2^53 - 1',
    ],
  ])('%s', (_what, bytes, message) => {
    expect(() => decodeFrames(Uint8Array.from(bytes))).toThrow(new Malformed(message));
  });
});

interface GoldenBatch {
  readonly name: string;
  readonly hex: string;
  readonly frames: readonly GoldenFrame[];
}

interface GoldenFrame {
  readonly base?: number;
  readonly timestamp?: number;
  readonly publishing_ids?: readonly number[];
  readonly messages: readonly GoldenMessage[];
}

interface GoldenMessage {
  readonly content_type: string;
  readonly body?: string;
  readonly body_hex?: string;
  readonly key?: string;
  readonly routing_key?: string;
  readonly headers?: string;
  readonly properties?: string;
}

const golden: { readonly batches: readonly GoldenBatch[] } = JSON.parse(
  readFileSync(new URL('../golden/wire-v1.json', import.meta.url), 'utf8'),
);

describe('the bytes of version 1 are these for ever', () => {
  test.each(golden.batches)('$name', ({ hex, frames }) => {
    const bytes = new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'));

    expect(Buffer.from(encode(frames.map(wireFrame))).toString('hex')).toBe(
      hex.replaceAll(' ', ''),
    );
    expect(decodeFrames(bytes).map(goldenFrame)).toEqual(frames);
  });
});

function wireFrame({ base, timestamp, publishing_ids, messages }: GoldenFrame): Frame {
  return {
    count: messages.length,
    records: encodeRecords(messages.map(wireMessage)),
    ...(base !== undefined &&
      timestamp !== undefined && { position: { base, timestampMs: timestamp } }),
    ...(publishing_ids && { publishingIds: publishing_ids }),
  };
}

function wireMessage(message: GoldenMessage): WireRecord {
  const utf8 = (text: string) => new TextEncoder().encode(text);
  const { content_type, body, body_hex, key, routing_key, headers, properties } = message;
  return {
    contentType: content_type,
    body: body === undefined ? new Uint8Array(Buffer.from(body_hex ?? '', 'hex')) : utf8(body),
    ...(key !== undefined && { key: utf8(key) }),
    ...(routing_key !== undefined && { routingKey: utf8(routing_key) }),
    ...(headers !== undefined && { headers: utf8(headers) }),
    ...(properties !== undefined && { properties: utf8(properties) }),
  };
}

function goldenFrame({ count, records, position, publishingIds }: Frame): GoldenFrame {
  const reader = new VarintReader(records);
  return {
    ...(position && { base: position.base, timestamp: position.timestampMs }),
    ...(publishingIds && { publishing_ids: publishingIds }),
    messages: Array.from({ length: count }, () => goldenMessage(decodeRecord(reader))),
  };
}

function goldenMessage(record: WireRecord): GoldenMessage {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8');
  const { body, contentType, key, routingKey, headers, properties } = record;
  const isText = Buffer.from(text(body)).equals(body);
  return {
    content_type: contentType,
    ...(isText ? { body: text(body) } : { body_hex: Buffer.from(body).toString('hex') }),
    ...(key && { key: text(key) }),
    ...(routingKey && { routing_key: text(routingKey) }),
    ...(headers && { headers: text(headers) }),
    ...(properties && { properties: text(properties) }),
  };
}
