/** Batches whose messages carry a filter value. */
import type { Batch } from '../../lib/ports/log-store.ts';
import { encodeRecords, recordBytes } from '../../lib/wire/record.ts';

/** One message with this body. */
export function taggedBatch(value: string, body: Uint8Array): Batch {
  const record = {
    body,
    contentType: 'application/octet-stream',
    headers: new Uint8Array(Buffer.from(JSON.stringify({ 'x-stream-filter-value': value }))),
  };
  return {
    count: 1,
    records: encodeRecords([record]),
    bytes: recordBytes(record),
    jsonChecked: false,
  };
}
