/**
 * The values by which messages are deduplicated, read from their headers as they are stored (SPEC M2, M4): text as
 * it is, a number or a boolean as it was written. Objects, arrays and null have no text, so nothing equals them.
 */
import {
  type MessageValues,
  parseCacheTtl,
  TTL_HEADER,
  type ValuedMessage,
  valueKey,
} from '../core/log/deduplication.ts';
import { visitMembers } from '../wire/json-text.ts';
import { decodeRecord, recordBytes } from '../wire/record.ts';
import { VarintReader } from '../wire/varint.ts';
import type { ChunkContent } from './chunk.ts';

const decoder = new TextDecoder();

export function messageValues(
  { count, records }: Pick<ChunkContent, 'count' | 'records'>,
  header: string,
): MessageValues {
  const reader = new VarintReader(records);
  const messages: ValuedMessage[] = [];
  for (let index = 0; index < count; index++) {
    const record = decodeRecord(reader);
    if (record.headers === undefined) continue;
    const { value, ttl } = readHeaders(record.headers, header);
    const parsed = ttl === undefined ? undefined : parseCacheTtl(textOf(ttl) ?? '');
    if (parsed?.kind === 'reject') {
      return { kind: 'reject', index, field: `headers.${TTL_HEADER}`, reason: parsed.reason };
    }
    const text = value === undefined ? undefined : textOf(value);
    if (text === undefined) continue;
    const ttlMs = parsed && { ttlMs: parsed.ttlMs };
    messages.push({ index, value: valueKey(header, text), ...ttlMs, bytes: recordBytes(record) });
  }
  return { kind: 'ok', messages };
}

interface HeaderTexts {
  /** As JSON. */
  value?: string;
  ttl?: string;
}

/** Of a name that comes twice the last one counts, as everywhere. */
function readHeaders(headers: Uint8Array, header: string): HeaderTexts {
  const texts: HeaderTexts = {};
  visitMembers(headers, 0, ({ name, value: { start, end } }) => {
    if (name === header) texts.value = decoder.decode(headers.subarray(start, end));
    if (name === TTL_HEADER) texts.ttl = decoder.decode(headers.subarray(start, end));
  });
  return texts;
}

function textOf(json: string): string | undefined {
  if (json.startsWith('"')) return String(JSON.parse(json));
  return json.startsWith('{') || json.startsWith('[') || json === 'null' ? undefined : json;
}
