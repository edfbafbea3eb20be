/**
 * Events in JSON (CloudEvents JSON event format 1.0): `application/cloudevents+json` is one,
 * `application/cloudevents-batch+json` an array of them. `data` is taken as it stands in the source,
 * byte for byte; members are read from the text, where a parser may take an escaped name for another.
 */
import { DATA_TYPE } from '../../core/log/event-attribute.ts';
import { MESSAGES_PER_REQUEST_MAX } from '../../core/log/limits.ts';
import { BatchBuilder, encodeText, tooManyMessages } from '../../services/batch-builder.ts';
import { invalid } from '../../services/log-error.ts';
import { type JsonPiece, scanFirstElements, visitMembers } from '../../wire/json-text.ts';
import { isJsonData } from '../event-data.ts';
import { bufferOf, memberValue } from '../member-value.ts';
import { addEvent, EventAttributes, type EventData } from './event-message.ts';
import { isArrayAt, isObjectAt, pieceOf, requireJson } from './json-body.ts';
import { decodeBase64 } from './message-object.ts';
import type { ParsedPublish } from './parse-publish.ts';

const JSON_TYPE = 'application/json';
const BYTES_TYPE = 'application/octet-stream';
const NO_DATA: EventData = { body: new Uint8Array(), isJson: false };

export function parseJsonEvent(source: Uint8Array): ParsedPublish {
  requireJson(source, 'the body');
  const { start } = pieceOf(source);
  if (!isObjectAt(source, { start })) throw invalid('the body', 'the body must be a JSON object');
  const builder = new BatchBuilder();
  addJsonEvent(builder, { source: bufferOf(source), start }, 'event');
  return { built: builder.finish(), options: {} };
}

export function parseJsonEvents(source: Uint8Array): ParsedPublish {
  requireJson(source, 'the body');
  const { start: first } = pieceOf(source);
  if (!isArrayAt(source, { start: first })) {
    throw invalid('the body', 'the body must be a JSON array of events');
  }
  const { elements, count } = scanFirstElements(source, first, MESSAGES_PER_REQUEST_MAX);
  if (count > MESSAGES_PER_REQUEST_MAX) throw tooManyMessages(count);

  const builder = new BatchBuilder();
  const text = bufferOf(source);
  elements.forEach(({ start }, index) => {
    const place = `events[${index}]`;
    if (!isObjectAt(source, { start })) throw invalid(place, `${place} must be a JSON object`);
    addJsonEvent(builder, { source: text, start }, place);
  });
  return { built: builder.finish(), options: {} };
}

function addJsonEvent(
  builder: BatchBuilder,
  { source, start }: { readonly source: Buffer; readonly start: number },
  place: string,
): void {
  const attributes = new EventAttributes((name) => `${place}.${name}`);
  const dataPieces = new Map<string, JsonPiece>();
  visitMembers(source, start, ({ name, value }) => {
    if (name === 'data' || name === 'data_base64') {
      if (dataPieces.has(name)) throw attributes.fault(name, 'is given twice: give it once');
      dataPieces.set(name, value);
      return;
    }
    const attribute = memberValue(source, value);
    // An attribute that is null is one that is not there (JSON event format 2.2).
    if (attribute !== null) attributes.add(name, attribute);
  });
  const data = eventData(attributes, { source, dataPieces });
  const defaultType = data.form === 'base64' ? BYTES_TYPE : JSON_TYPE;
  addEvent(builder, { attributes, data, defaultType }, place);
}

interface WrittenData {
  readonly source: Buffer;
  readonly dataPieces: ReadonlyMap<string, JsonPiece>;
}

function eventData(attributes: EventAttributes, { source, dataPieces }: WrittenData): EventData {
  const data = dataPieces.get('data');
  const base64 = dataPieces.get('data_base64');
  const encoded = base64 === undefined ? null : memberValue(source, base64);
  if (encoded !== null) {
    if (data !== undefined) throw attributes.fault('data_base64', 'is given beside data: give one');
    return { body: decodeData(attributes, encoded), isJson: false, form: 'base64' };
  }
  if (data === undefined) return NO_DATA;

  const type = attributes.text(DATA_TYPE) ?? JSON_TYPE;
  if (isJsonData(type)) {
    return { body: source.subarray(data.start, data.end), isJson: true, form: 'json' };
  }
  const text = memberValue(source, data);
  if (typeof text === 'string') {
    return { body: encodeText(text, attributes.field('data')), isJson: false, form: 'text' };
  }
  throw attributes.fault('data', 'must be a string, since datacontenttype is no type of JSON');
}

function decodeData(attributes: EventAttributes, encoded: unknown): Uint8Array {
  if (typeof encoded === 'string') return decodeBase64(encoded, attributes.field('data_base64'));
  throw attributes.fault('data_base64', 'must be a string');
}
