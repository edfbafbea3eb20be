/** Batches as a publish hands them to the store. */
import {
  offset,
  parseConsumerName,
  parsePublisherName,
  parseStreamName,
  streamId,
} from '../../lib/core/log/ids.ts';
import type { Batch } from '../../lib/ports/log-store.ts';
import { encodeRecords, recordBytes } from '../../lib/wire/record.ts';

/** One message of plain text for each body. */
export function batchOf(...bodies: readonly (string | Uint8Array)[]): Batch {
  const records = bodies.map((body) => ({
    body: new Uint8Array(Buffer.from(body)),
    contentType: 'text/plain; charset=utf-8',
  }));
  return {
    count: records.length,
    records: encodeRecords(records),
    bytes: records.reduce((sum, record) => sum + recordBytes(record), 0),
    jsonChecked: false,
  };
}

/** One message for each pair of a body and its headers. */
export function batchWith(...messages: readonly (readonly [string, object | undefined])[]): Batch {
  const records = messages.map(([body, headers]) => ({
    body: new Uint8Array(Buffer.from(body)),
    contentType: 'text/plain; charset=utf-8',
    ...(headers && { headers: new Uint8Array(Buffer.from(JSON.stringify(headers))) }),
  }));
  const bytes = records.reduce((sum, record) => sum + recordBytes(record), 0);
  return { count: records.length, records: encodeRecords(records), bytes, jsonChecked: false };
}

/** As many messages as wanted, each of exactly so many bytes. */
export function batchOfSize(count: number, bytes: number): Batch {
  return batchOf(...Array.from({ length: count }, (_, index) => `${index}`.padStart(bytes, '.')));
}

export const at = offset;

/** The stream id with this number. */
export function idOf(number: number) {
  return streamId(number.toString(16).padStart(32, '0'));
}

export function streamName(text: string) {
  const parsed = parseStreamName(text);
  if (parsed.kind === 'reject') throw new Error(parsed.reason);
  return parsed.name;
}

export function consumerName(text: string) {
  const parsed = parseConsumerName(text);
  if (parsed.kind === 'reject') throw new Error(parsed.reason);
  return parsed.name;
}

export function publisherName(text: string) {
  const parsed = parsePublisherName(text);
  if (parsed.kind === 'reject') throw new Error(parsed.reason);
  return parsed.name;
}
