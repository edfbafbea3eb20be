/**
 * Keeps the header `BCC` from readers (SPEC X4): it is stored, since a message that is routed on needs it, and is
 * left out of whatever is read. It is stored with its name as it is, so that a look for that finds it.
 */
import type { StoredChunk } from '../ports/log-store.ts';
import { withoutMembers } from '../wire/json-text.ts';
import { decodeRecord, encodeRecords, recordBytes, type WireRecord } from '../wire/record.ts';
import { VarintReader } from '../wire/varint.ts';
import { withoutHeaders } from './record-headers.ts';

const BLIND_COPIES = 'BCC';
const NAME = Buffer.from(`"${BLIND_COPIES}"`);
const NAMES: ReadonlySet<string> = new Set([BLIND_COPIES]);
const EMPTY_OBJECT_BYTES = '{}'.length;

/** A chunk is read again and again: what it looks like to readers is found out once. */
const shown = new WeakMap<StoredChunk, StoredChunk>();

/** The same chunk when nothing in it is to be left out. */
export function withoutBlindCopies(chunk: StoredChunk): StoredChunk {
  if (!hasName(chunk.records)) return chunk;
  const known = shown.get(chunk) ?? hide(chunk);
  shown.set(chunk, known);
  return known;
}

/** Headers that hold them, with the name as it is; the same bytes when it is so already. */
export function withPlainName(headers: Uint8Array, copies: unknown): Uint8Array {
  if (hasName(headers)) return headers;
  const rest = Buffer.from(withoutMembers(headers, NAMES));
  const comma = rest.length > EMPTY_OBJECT_BYTES ? ',' : '';
  const member = `{${NAME}:${JSON.stringify(copies)}${comma}`;
  return Buffer.concat([Buffer.from(member), rest.subarray(1)]);
}

function hasName(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(NAME);
}

function hide(chunk: StoredChunk): StoredChunk {
  const reader = new VarintReader(chunk.records);
  const records = Array.from({ length: chunk.count }, () =>
    withoutBlindCopiesIn(decodeRecord(reader)),
  );
  const bytes = records.reduce((sum, record) => sum + recordBytes(record), 0);
  // The name may stand in a body or a value: then it stays as it is.
  return bytes === chunk.bytes ? chunk : { ...chunk, records: encodeRecords(records), bytes };
}

export function withoutBlindCopiesIn(record: WireRecord): WireRecord {
  const { headers } = record;
  return headers !== undefined && hasName(headers) ? withoutHeaders(record, NAMES) : record;
}
