/**
 * A stored message as the message object of the API: a JSON body verbatim, valid text as text, all
 * else as base64 (api, "A message, in both directions").
 */
import { isUtf8 } from 'node:buffer';
import { isJsonType, isTextType } from '../../core/log/message.ts';
import type { StoredChunk } from '../../ports/log-store.ts';
import { isPlainText } from '../../wire/json-grammar.ts';
import { decodeRecord, type WireRecord } from '../../wire/record.ts';
import { VarintReader } from '../../wire/varint.ts';
import { holdsJson } from '../event-data.ts';
import type { ByteWriter } from './byte-writer.ts';

export interface BodyForm {
  /** `?body=base64`: every body as base64. */
  readonly base64: boolean;
  /** One message a line or an event: a body with CR or LF cannot stand there as it is. */
  readonly oneLine: boolean;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

const DEFAULT_TYPES = {
  json: 'application/json',
  text: 'text/plain; charset=utf-8',
  base64: 'application/octet-stream',
} as const;

/** Calls `separate` before each message but the first of the chunk. */
export function writeChunkMessages(
  writer: ByteWriter,
  chunk: StoredChunk,
  options: { readonly form: BodyForm; separate(): void },
): void {
  const reader = new VarintReader(chunk.records);
  for (let index = 0; index < chunk.count; index++) {
    if (index > 0) options.separate();
    const record = decodeRecord(reader);
    writer.ascii(`{"offset":${chunk.base + index},"timestamp":${chunk.timeMs},`);
    writeMessageMembers(writer, record, { form: options.form, jsonChecked: chunk.jsonChecked });
    writer.ascii('}');
  }
}

interface MessageForm {
  readonly form: BodyForm;
  /** Of a batch that the record is of: a body of a JSON type was parsed. */
  readonly jsonChecked: boolean;
}

/** What a message has but for where and when it was stored, without the braces. */
export function writeMessageMembers(
  writer: ByteWriter,
  record: WireRecord,
  form: MessageForm,
): void {
  writeBody(writer, record, bodyKind(record, form));
  writeText(writer, 'key', record.key);
  writeText(writer, 'routing_key', record.routingKey);
  writeVerbatim(writer, 'headers', record.headers);
  writeVerbatim(writer, 'properties', record.properties);
}

type BodyKind = keyof typeof DEFAULT_TYPES;

function bodyKind(record: WireRecord, { form, jsonChecked }: MessageForm): BodyKind {
  const { body, contentType } = record;
  if (form.base64 || (form.oneLine && hasLineEnd(body))) return 'base64';
  if (isJsonType(contentType)) {
    if (jsonChecked || holdsJson(body)) return 'json';
    return isUtf8(body) ? 'text' : 'base64';
  }
  return isTextType(contentType) && isUtf8(body) ? 'text' : 'base64';
}

function hasLineEnd(body: Uint8Array): boolean {
  return body.includes(LINE_FEED) || body.includes(CARRIAGE_RETURN);
}

/** The content type is told when it is not the one that the member implies. */
function writeBody(writer: ByteWriter, record: WireRecord, kind: BodyKind): void {
  writer.ascii(`"${kind}":`);
  if (kind === 'json') writer.bytes(record.body);
  else if (kind === 'text') writeString(writer, record.body);
  else writer.ascii(`"${asBuffer(record.body).toString('base64')}"`);

  if (record.contentType === DEFAULT_TYPES[kind]) return;
  writer.utf8(`,"content_type":${JSON.stringify(record.contentType)}`);
}

function writeText(writer: ByteWriter, name: string, value: Uint8Array | undefined): void {
  if (value === undefined) return;
  writer.ascii(`,"${name}":`);
  writeString(writer, value);
}

/** Valid UTF-8 as a JSON string. Most texts are copied: as strings of JavaScript they would live twice. */
function writeString(writer: ByteWriter, utf8: Uint8Array): void {
  if (!isPlainText(utf8)) {
    writer.utf8(JSON.stringify(asBuffer(utf8).toString('utf8')));
    return;
  }
  writer.ascii('"');
  writer.bytes(utf8);
  writer.ascii('"');
}

function writeVerbatim(writer: ByteWriter, name: string, value: Uint8Array | undefined): void {
  if (value === undefined) return;
  writer.ascii(`,"${name}":`);
  writer.bytes(value);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
