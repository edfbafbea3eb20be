/**
 * `application/vnd.varve.messages`: frames as the client library writes them. Plain messages are looked
 * over and stored as they came; what has headers, properties or a type of its own is checked one by one.
 */
import { isUtf8 } from 'node:buffer';
import { MESSAGE_BYTES_MAX, MESSAGES_PER_REQUEST_MAX } from '../../core/log/limits.ts';
import { BatchBuilder, type BuiltBatch } from '../../services/batch-builder.ts';
import { invalid, LogError } from '../../services/log-error.ts';
import { type Frame, readFrames } from '../../wire/frame.ts';
import { decodeRecord, lookOverPlain, type WireRecord } from '../../wire/record.ts';
import { Malformed, VarintReader } from '../../wire/varint.ts';
import { requireJson } from './json-body.ts';
import { parseHeaders, parseProperties } from './message-object.ts';
import type { ParsedPublish } from './parse-publish.ts';

export function parseBinaryBatch(source: Uint8Array): ParsedPublish {
  try {
    const plain = plainFrame(source);
    if (plain !== undefined) return { built: plain, options: {} };

    const builder = new BatchBuilder();
    let index = 0;
    for (const frame of readFrames(source)) index = addFrame(builder, frame, index);
    return { built: builder.finish(), options: {} };
  } catch (cause) {
    if (!(cause instanceof Malformed)) throw cause;
    throw new LogError(`the body is no batch of messages: ${cause.message}`, {
      code: 'invalid_request',
      cause,
    });
  }
}

/**
 * What the builder makes of one frame of messages without headers, properties and types of their own, at
 * far less work; undefined for anything else, also for what the builder is to refuse.
 */
function plainFrame(source: Uint8Array): BuiltBatch | undefined {
  const [frame] = readFrames(source);
  if (frame === undefined) return undefined;
  const { count, records, publishingIds } = frame;
  const isAlone = records.byteOffset + records.length === source.byteOffset + source.length;
  if (!isAlone) return undefined;
  if (count === 0 || count > MESSAGES_PER_REQUEST_MAX) return undefined;

  const looked = lookOverPlain(records, count);
  if (looked === undefined || looked.largest > MESSAGE_BYTES_MAX) return undefined;
  const { bytes, hasJson } = looked;
  return {
    batch: { count, records, bytes, jsonChecked: !hasJson },
    messageIds: publishingIds ?? [],
    delayed: [],
  };
}

function addFrame(builder: BatchBuilder, frame: Frame, firstIndex: number): number {
  const reader = new VarintReader(frame.records);
  for (let index = 0; index < frame.count; index++) {
    const place = `messages[${firstIndex + index}]`;
    const id = frame.publishingIds?.[index];
    addRecord(builder, { record: decodeRecord(reader), id }, place);
  }
  if (reader.position < frame.records.length) {
    throw new Malformed(`a frame holds more than its ${frame.count} records`);
  }
  return firstIndex + frame.count;
}

function addRecord(
  builder: BatchBuilder,
  { record, id }: { readonly record: WireRecord; readonly id: number | undefined },
  place: string,
): void {
  const { body, contentType, key, routingKey, headers, properties } = record;
  builder.add(
    {
      body,
      contentType,
      isJson: false,
      ...(key && { key: text(key, `${place}.key`) }),
      ...(routingKey && { routingKey: text(routingKey, `${place}.routing_key`) }),
      ...(headers && { headers: headersOf(headers, `${place}.headers`) }),
      ...(properties && { properties: propertiesOf(properties, `${place}.properties`) }),
      ...(id !== undefined && { publishingId: id }),
    },
    place,
  );
}

function text(bytes: Uint8Array, field: string): string {
  if (!isUtf8(bytes)) throw invalid(field, `${field} is not valid UTF-8`);
  return Buffer.from(bytes).toString('utf8');
}

function headersOf(bytes: Uint8Array, place: string) {
  requireJson(bytes, place);
  return parseHeaders(bytes, place);
}

function propertiesOf(bytes: Uint8Array, place: string) {
  requireJson(bytes, place);
  return parseProperties(bytes, place);
}
