/**
 * Messages as CloudEvents (JSON batch format 1.0; SPEC CE4, CE6): an event as it was sent, any other
 * message as an event of the stream. What an event has no attribute for is not dropped: it stands in
 * the extension `varvemessage`, as JSON text with the members that a message object has for it.
 */
import { EVENT_VERSION, PARTITION_KEY, parseAttribute } from '../../core/log/event-attribute.ts';
import { isJsonType } from '../../core/log/message.ts';
import type { StoredChunk } from '../../ports/log-store.ts';
import { compactJson } from '../../wire/json-text.ts';
import { decodeRecord, type WireRecord } from '../../wire/record.ts';
import { VarintReader } from '../../wire/varint.ts';
import { chosenForm } from '../event-data.ts';
import { bufferOf } from '../member-value.ts';
import type { ByteWriter } from './byte-writer.ts';
import { type StoredEvent, storedEvent } from './stored-event.ts';

export interface EventForm {
  /** `?body=base64`: all data as base64. */
  readonly base64: boolean;
  readonly stream: string;
  readonly streamId: string;
}

const PLAIN_TYPE = 'varve.message';
const REST = 'varvemessage';

/** `[{…},{…}]` */
export function writeEventArray(
  writer: ByteWriter,
  chunks: readonly StoredChunk[],
  form: EventForm,
): void {
  let separator = '[';
  for (const chunk of chunks) {
    const reader = new VarintReader(chunk.records);
    for (let index = 0; index < chunk.count; index++) {
      writer.ascii(separator);
      separator = ',';
      writeEvent(writer, { record: decodeRecord(reader), index, chunk }, form);
    }
  }
  writer.ascii(separator === '[' ? '[]' : ']');
}

interface ChunkMessage {
  readonly record: WireRecord;
  readonly index: number;
  readonly chunk: StoredChunk;
}

function writeEvent(writer: ByteWriter, message: ChunkMessage, form: EventForm): void {
  const { record } = message;
  const event = record.headers && storedEvent(record.headers);
  writer.ascii(`{"specversion":"${EVENT_VERSION}"`);
  if (event === undefined) writePlain(writer, message, form);
  else writeStored(writer, record.headers ?? new Uint8Array(), event);

  const key = record.key && text(record.key);
  const isKey = key !== undefined && parseAttribute(PARTITION_KEY, key).kind === 'ok';
  if (isKey) writeText(writer, PARTITION_KEY, key);
  if (!event?.attributes.some(({ name }) => name === REST)) {
    const headers = event === undefined ? record.headers : event.otherHeaders;
    writeRest(writer, record, { headers, key: isKey ? undefined : key });
  }
  writeText(writer, 'datacontenttype', record.contentType);
  writeData(writer, message, { base64: form.base64, chosen: event?.form });
  writer.ascii('}');
}

function writeStored(writer: ByteWriter, headers: Uint8Array, { attributes }: StoredEvent): void {
  for (const { name, value } of attributes) {
    if (name === 'specversion') continue;
    writer.ascii(`,"${name}":`);
    writer.bytes(headers.subarray(value.start, value.end));
  }
}

function writePlain(writer: ByteWriter, { chunk, index }: ChunkMessage, form: EventForm): void {
  writer.ascii(`,"id":"${form.streamId}/${chunk.base + index}","source":"`);
  writer.ascii(`/v1/streams/${encodeURIComponent(form.stream)}","time":"`);
  writer.ascii(`${new Date(chunk.timeMs).toISOString()}","type":"${PLAIN_TYPE}"`);
}

/** The members are those of a message object, so nothing new is to be learnt. */
function writeRest(
  writer: ByteWriter,
  { routingKey, properties }: WireRecord,
  { headers, key }: { readonly headers: Uint8Array | undefined; readonly key: string | undefined },
): void {
  if (!headers && !routingKey && !properties && key === undefined) return;
  const members = [
    key === undefined ? undefined : `"key":${JSON.stringify(key)}`,
    routingKey && `"routing_key":${JSON.stringify(text(routingKey))}`,
    headers && `"headers":${text(compactJson(headers))}`,
    properties && `"properties":${text(properties)}`,
  ];
  const written = members.filter((member) => member !== undefined).join(',');
  writeText(writer, REST, escapeDisallowed(`{${written}}`));
}

/** In JSON text every character may be an escape, and an attribute must not hold these as they are. */
function escapeDisallowed(json: string): string {
  return json.replace(/[\p{Cc}\p{Noncharacter_Code_Point}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

function writeData(
  writer: ByteWriter,
  { record, chunk }: ChunkMessage,
  { base64, chosen }: { readonly base64: boolean; readonly chosen: StoredEvent['form'] },
): void {
  const { body, contentType } = record;
  const isJson = chunk.jsonChecked && isJsonType(contentType);
  const form = chosenForm(chosen, { body, contentType, isJson });
  if (form === undefined) return;

  if (base64 || form === 'base64')
    writeText(writer, 'data_base64', bufferOf(body).toString('base64'));
  else if (form === 'text') writeText(writer, 'data', text(body));
  else {
    writer.ascii(',"data":');
    writer.bytes(body);
  }
}

function writeText(writer: ByteWriter, name: string, value: string): void {
  writer.utf8(`,"${name}":${JSON.stringify(value)}`);
}

function text(bytes: Uint8Array): string {
  return bufferOf(bytes).toString('utf8');
}
