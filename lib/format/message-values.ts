/** The values by which messages are deduplicated, read from their headers as they are stored (SPEC M2, M4). */
import {
  type MessageValues,
  readValue,
  TTL_HEADER,
  type ValuedMessage,
} from '../core/log/deduplication.ts';
import { headerTexts } from '../wire/header-texts.ts';
import { decodeRecord, recordBytes } from '../wire/record.ts';
import { VarintReader } from '../wire/varint.ts';
import type { ChunkContent } from './chunk.ts';

export function messageValues(
  { count, records }: Pick<ChunkContent, 'count' | 'records'>,
  header: string,
): MessageValues {
  const reader = new VarintReader(records);
  const messages: ValuedMessage[] = [];
  for (let index = 0; index < count; index++) {
    const record = decodeRecord(reader);
    if (record.headers === undefined) continue;
    const read = readValue(headerTexts(record.headers, [header, TTL_HEADER]), header);
    if (read.kind === 'reject') return { ...read, index };
    if (read.kind === 'ok') messages.push({ ...read.own, index, bytes: recordBytes(record) });
  }
  return { kind: 'ok', messages };
}
