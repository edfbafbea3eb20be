/**
 * Bodies of publishes in every format of text, damaged: refused by a `LogError`, or stored so that what
 * is kept verbatim stands in the request, and that every format of reads gives it whole.
 */
import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { isJsonType } from '../../../lib/core/log/message.ts';
import { parsePublish } from '../../../lib/http/body/parse-publish.ts';
import { ByteWriter } from '../../../lib/http/render/byte-writer.ts';
import { writeMessageArray, writeMessageLines } from '../../../lib/http/render/chunk-lines.ts';
import { writeEventArray } from '../../../lib/http/render/event-json.ts';
import { encodeEvent } from '../../../lib/http/render/event-stream.ts';
import type { StoredChunk } from '../../../lib/ports/log-store.ts';
import { LogError } from '../../../lib/services/log-error.ts';
import { decodeRecord, logicalBytes, type WireRecord } from '../../../lib/wire/record.ts';
import { VarintReader } from '../../../lib/wire/varint.ts';
import { at } from '../../support/batches.ts';
import { attempt } from '../attempt.ts';
import type { Chance } from '../chance.ts';
import { mutateBytes } from '../mutate-bytes.ts';
import { randomBody } from '../random-body.ts';
import { JSON_PIECES } from '../random-json.ts';
import { plainTarget } from '../run-rounds.ts';

export const publishBodies = plainTarget('publish-bodies', 10_000, (chance) => {
  const { type, body, headers } = randomBody(chance);
  const source = chance.oneIn(4) ? body : mutateBytes(chance, body, JSON_PIECES);
  const from = { headers: new Headers({ ...headers, 'content-type': type }), query: {} };
  const parsed = attempt(LogError, () => parsePublish(source, from));
  if (parsed.kind === 'refused') return;

  const { batch } = parsed.value.built;
  const chunk = { ...batch, base: at(7), timeMs: 1_795_946_400_000 };
  const records = recordsOf(chunk);
  assert.equal(batch.bytes, logicalBytes(batch.records, batch.count));
  for (const record of records) checkRecord(record, { source, chunk });
  checkReads(chunk, chance);
});

function recordsOf({ records, count }: StoredChunk): WireRecord[] {
  const reader = new VarintReader(records);
  const decoded = Array.from({ length: count }, () => decodeRecord(reader));
  assert.equal(reader.position, records.length);
  return decoded;
}

function checkRecord(
  { body, contentType, key, routingKey, headers, properties }: WireRecord,
  { source, chunk }: { readonly source: Uint8Array; readonly chunk: StoredChunk },
): void {
  for (const text of [key, routingKey]) assert(text === undefined || isUtf8(text));
  for (const object of [headers, properties]) {
    if (object === undefined) continue;
    assert(!/[\r\n]/.test(textOf(object)), 'a line end beside the body');
    assert.equal(typeof JSON.parse(textOf(object)), 'object');
  }
  if (!(isJsonType(contentType) && chunk.jsonChecked)) return;
  JSON.parse(textOf(body));
  // What is known to be JSON was never decoded: it stands in the request as it is.
  assert(Buffer.from(source).includes(Buffer.from(body)));
}

/** What is read is JSON, with every message in it; an event of a stream is its lines and no more. */
function checkReads(chunk: StoredChunk, chance: Chance): void {
  const base64 = chance.oneIn(4);
  const array = written((writer) => writeMessageArray(writer, [chunk], { base64, oneLine: false }));
  assert.equal(JSON.parse(array).length, chunk.count);

  const lines = written((writer) => writeMessageLines(writer, [chunk], { base64 }));
  assert.equal(lines.endsWith('\n'), true);
  const objects = lines
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    objects.map(({ offset }) => offset),
    offsets(chunk),
  );
  assert(!lines.includes('\r'));

  const form = { base64, stream: 's', streamId: '0'.repeat(32) };
  const events = JSON.parse(written((writer) => writeEventArray(writer, [chunk], form)));
  assert.equal(events.length, chunk.count);
  assert(events.every((event: object) => 'id' in event && 'source' in event && 'type' in event));

  const [next, progress] = [at(7 + chunk.count), { covered: 7, count: 0, bytes: 0 }];
  const event = { kind: 'batch', progress, chunks: [chunk], next, tail: next } as const;
  const text = textOf(Buffer.concat(encodeEvent(event, base64)));
  const data = /^id: 7,0,0\nevent: batch\ndata: ([^\r\n]+)\n\n$/.exec(text)?.[1];
  assert.equal(JSON.parse(data ?? '').messages.length, chunk.count);
}

function offsets({ base, count }: StoredChunk): number[] {
  return Array.from({ length: count }, (_, index) => base + index);
}

function written(write: (writer: ByteWriter) => void): string {
  const writer = new ByteWriter(16);
  write(writer);
  return textOf(writer.finish());
}

function textOf(bytes: Uint8Array): string {
  assert(isUtf8(bytes), 'what is written is no UTF-8');
  return Buffer.from(bytes).toString('utf8');
}
