/**
 * Frames and records as clients publish them, damaged: they decode or are `Malformed`, and every way of
 * looking at the same bytes sees the same messages.
 */
import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { parseBinaryBatch } from '../../../lib/http/body/binary-batch.ts';
import { LogError } from '../../../lib/services/log-error.ts';
import {
  decodeFrames,
  encodeFrame,
  encodeFrameHeader,
  type Frame,
} from '../../../lib/wire/frame.ts';
import {
  decodeRecord,
  encodeRecords,
  logicalBytes,
  lookOverPlain,
  recordBytes,
  recordStart,
  skipRecord,
  type WireRecord,
} from '../../../lib/wire/record.ts';
import { Malformed, VarintReader } from '../../../lib/wire/varint.ts';
import { attempt } from '../attempt.ts';
import type { Chance } from '../chance.ts';
import { joinBytes, mutateBytes } from '../mutate-bytes.ts';
import { randomRecord } from '../random-record.ts';
import { plainTarget } from '../run-rounds.ts';

export const wireBatches = plainTarget('wire-batches', 10_000, (chance) => {
  const whole = randomBatch(chance);
  const source = chance.oneIn(8) ? whole : mutateBytes(chance, whole);
  const frames = attempt(Malformed, () => decodeFrames(source));
  if (frames.kind === 'ok') checkFrames(frames.value, source);
  checkParsed(source, frames.kind === 'ok' ? frames.value : undefined);

  const records = encodeRecords(chance.some(4, () => randomRecord(chance)));
  checkRecords(mutateBytes(chance, records), chance.below(6));
});

function randomBatch(chance: Chance): Uint8Array {
  return joinBytes(
    ...chance.some(3, () => {
      const each = chance.some(5, () => encodeRecords([randomRecord(chance)]));
      if (chance.oneIn(2)) {
        const first = chance.oneIn(6) ? Number.MAX_SAFE_INTEGER - 1 : chance.integer();
        return encodeFrame(
          each,
          chance.oneIn(2) ? each.map((_, index) => first + index) : undefined,
        );
      }
      const [records, position] = [
        joinBytes(...each),
        { base: chance.integer(), timestampMs: chance.integer() },
      ];
      const count = chance.oneIn(3) ? chance.integer() : each.length;
      return joinBytes(encodeFrameHeader({ count, records, position }), records);
    }),
  );
}

function checkFrames(frames: readonly Frame[], source: Uint8Array): void {
  const held = frames.reduce(
    (sum, { records, publishingIds }) => sum + records.length + (publishingIds?.length ?? 0),
    0,
  );
  assert(held <= source.length, 'frames hold more than was sent');
  for (const { count, records, publishingIds } of frames) {
    assert(publishingIds === undefined || publishingIds.length === count);
    assert(publishingIds?.every(Number.isSafeInteger) ?? true);
    checkRecords(records, count);
  }
}

/** `count` is what somebody else says that there are: it may be any number. */
function checkRecords(records: Uint8Array, count: number): void {
  const decoded = decodeAll(records, count);
  const isWhole = decoded.records.length === count && decoded.end === records.length;
  const plain = lookOverPlain(records, count);
  const expected =
    isWhole && decoded.forms.every(isPlainForm) && decoded.records.every(hasTextKeys);
  assert.deepEqual(plain, expected ? summary(decoded.records) : undefined);

  if (decoded.records.length < count) return;
  const bytes = decoded.records.reduce((sum, record) => sum + recordBytes(record), 0);
  assert.equal(logicalBytes(records, count), bytes);
}

/** The records up to the first that is refused, each also skipped, found and encoded again. */
function decodeAll(records: Uint8Array, count: number) {
  const reader = new VarintReader(records);
  const decoded: WireRecord[] = [];
  const forms: number[] = [];
  while (decoded.length < count) {
    const start = reader.position;
    const skipper = new VarintReader(records, start);
    const result = attempt(Malformed, () => decodeRecord(reader));
    const skipped = attempt(Malformed, () => skipRecord(skipper));
    const form = formAt(records, start);
    if (result.kind === 'refused') {
      // Unknown forms are the only thing that skipping does not look at.
      assert(skipped.kind === 'refused' || (form & 0b1100_0000) !== 0, 'skipped what is malformed');
      return { records: decoded, forms, end: start };
    }
    assert(skipped.kind === 'ok' && skipped.value === recordBytes(result.value));
    assert.equal(skipper.position, reader.position);
    assert.equal(recordStart(records, decoded.length), start);
    const again = decodeRecord(new VarintReader(encodeRecords([result.value])));
    assert.deepEqual(again, result.value);
    decoded.push(result.value);
    forms.push(form);
  }
  return { records: decoded, forms, end: reader.position };
}

function formAt(records: Uint8Array, start: number): number {
  const reader = new VarintReader(records, start);
  const form = attempt(Malformed, () => {
    reader.next('length');
    return reader.byte('form');
  });
  return form.kind === 'ok' ? form.value : 0;
}

/** A body of a numbered type, perhaps keys. */
function isPlainForm(form: number): boolean {
  return (form & 0b11) !== 0b11 && (form & ~0b1111) === 0;
}

function hasTextKeys({ key, routingKey }: WireRecord): boolean {
  return isUtf8(key ?? new Uint8Array()) && isUtf8(routingKey ?? new Uint8Array());
}

function summary(records: readonly WireRecord[]) {
  const sizes = records.map(recordBytes);
  return {
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    largest: Math.max(0, ...sizes),
    hasJson: records.some(({ contentType }) => contentType === 'application/json'),
  };
}

/** A batch that is taken has the messages of its frames, and no others. */
function checkParsed(source: Uint8Array, frames: readonly Frame[] | undefined): void {
  const parsed = attempt(LogError, () => parseBinaryBatch(source));
  if (parsed.kind === 'refused') return;
  const { batch, messageIds } = parsed.value.built;
  const sent = (frames ?? []).flatMap(({ records, count }) => decodeAll(records, count).records);
  const stored = decodeAll(batch.records, batch.count).records;
  assert.equal(batch.count, sent.length);
  assert.equal(batch.bytes, logicalBytes(batch.records, batch.count));
  assert.deepEqual(stored.map(kept), sent.map(kept));
  assert(messageIds.length === 0 || messageIds.length === batch.count);
}

/** Headers may lose members and properties spaces; the rest is stored as it came. */
function kept({ body, contentType, key, routingKey }: WireRecord) {
  return { body, contentType, key, routingKey };
}
