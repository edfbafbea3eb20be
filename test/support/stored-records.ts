/** What a publish stores, as plain values that tests compare whole. */
import type { ParsedPublish } from '../../lib/http/body/parse-publish.ts';
import { decodeRecord, type WireRecord } from '../../lib/wire/record.ts';
import { VarintReader } from '../../lib/wire/varint.ts';

export interface StoredRecord {
  /** As Latin-1, in which every byte is a character. */
  readonly body: string;
  readonly contentType: string;
  readonly key?: string;
  readonly routingKey?: string;
  readonly headers?: string;
}

export function storedRecords({ built }: ParsedPublish): readonly StoredRecord[] {
  const reader = new VarintReader(built.batch.records);
  return Array.from({ length: built.batch.count }, () => plain(decodeRecord(reader)));
}

function plain({ body, contentType, key, routingKey, headers }: WireRecord): StoredRecord {
  return {
    body: Buffer.from(body).toString('latin1'),
    contentType,
    ...(key && { key: Buffer.from(key).toString() }),
    ...(routingKey && { routingKey: Buffer.from(routingKey).toString() }),
    ...(headers && { headers: Buffer.from(headers).toString() }),
  };
}
