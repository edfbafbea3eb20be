import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseBinaryBatch } from '../../../lib/http/body/binary-batch.ts';
import { BatchBuilder } from '../../../lib/services/batch-builder.ts';
import { LogError } from '../../../lib/services/log-error.ts';
import { encodeFrameHeader } from '../../../lib/wire/frame.ts';
import { encodeRecords, type WireRecord } from '../../../lib/wire/record.ts';

const text = (bytes: Uint8Array | undefined) =>
  bytes === undefined ? undefined : Buffer.from(bytes).toString('utf8');

const keyBytes = fc.string({ unit: 'grapheme', maxLength: 20 }).map((key) => Buffer.from(key));
const plainRecord: fc.Arbitrary<WireRecord> = fc.record(
  {
    body: fc.uint8Array({ maxLength: 300 }),
    contentType: fc.constantFrom(
      'application/json',
      'text/plain; charset=utf-8',
      'application/octet-stream',
    ),
    key: keyBytes,
    routingKey: keyBytes,
  },
  { requiredKeys: ['body', 'contentType'] },
);

function frame(records: readonly WireRecord[], count = records.length): Uint8Array {
  const encoded = encodeRecords(records);
  return new Uint8Array(Buffer.concat([encodeFrameHeader({ count, records: encoded }), encoded]));
}

function built(records: readonly WireRecord[]) {
  const builder = new BatchBuilder();
  for (const { body, contentType, key, routingKey } of records) {
    const [keyText, routingText] = [text(key), text(routingKey)];
    builder.add(
      {
        body,
        contentType,
        isJson: false,
        ...(keyText !== undefined && { key: keyText }),
        ...(routingText !== undefined && { routingKey: routingText }),
      },
      'a message',
    );
  }
  return builder.finish();
}

describe('P10: plain messages of a binary batch', () => {
  test('are stored as the builder would have built them', () => {
    fc.assert(
      fc.property(fc.array(plainRecord, { minLength: 1, maxLength: 20 }), (records) => {
        expect(parseBinaryBatch(frame(records)).built).toEqual(built(records));
      }),
    );
  });

  test.each([
    [
      'a key that is no UTF-8',
      frame([{ body: Buffer.of(1), contentType: 'application/json', key: Buffer.of(0xff) }]),
      'messages[0].key',
    ],
    [
      'fewer records than announced',
      frame([{ body: Buffer.of(1), contentType: 'application/json' }], 2),
      undefined,
    ],
    [
      'more records than announced',
      frame(
        [
          { body: Buffer.of(1), contentType: 'application/json' },
          { body: Buffer.of(2), contentType: 'application/json' },
        ],
        1,
      ),
      undefined,
    ],
    ['no record', frame([]), 'messages'],
    [
      'a message above its limit',
      frame([{ body: Buffer.alloc(1024 * 1024 + 1), contentType: 'application/octet-stream' }]),
      'messages[0]',
    ],
  ])('are refused with %s', (_what, source, field) => {
    let thrown: unknown;
    try {
      parseBinaryBatch(source);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(LogError);
    expect(thrown).toMatchObject({ details: field === undefined ? {} : { field } });
  });
});
