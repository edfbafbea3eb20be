/**
 * An event whose attributes are headers and whose data is the body (CloudEvents HTTP binding 1.0,
 * binary mode; SPEC CE5). Headers carry no types, so every value is text.
 */
import { DATA_TYPE, PARTITION_KEY, REQUIRED_ATTRIBUTES } from '../../core/log/event-attribute.ts';
import { BatchBuilder } from '../../services/batch-builder.ts';
import { invalid, LogError } from '../../services/log-error.ts';
import { ATTRIBUTE_PREFIX, isJsonData } from '../event-data.ts';
import { addEvent, EventAttributes } from './event-message.ts';
import { requireJson } from './json-body.ts';
import { messageDelay } from './message-delay.ts';
import type { ParsedPublish } from './parse-publish.ts';
import type { PublishQuery } from './publish-options.ts';
import { sentText } from './raw-message.ts';

/** The data of an event without a content type, and the type of an event without data. */
const UNTYPED_DATA = 'text/plain; charset=utf-8';
const NO_DATA = 'application/json';

/** Any of the four, so that one left out is told instead of its event being stored as none. */
const EVENT_HEADERS = REQUIRED_ATTRIBUTES.map((name) => `${ATTRIBUTE_PREFIX}${name}`);

export function hasEventHeaders(headers: Headers): boolean {
  return EVENT_HEADERS.some((name) => headers.has(name));
}

export function parseBinaryEvent(
  body: Uint8Array,
  from: { readonly contentType: string; readonly headers: Headers; readonly query: PublishQuery },
): ParsedPublish {
  const { contentType, headers, query } = from;
  const attributes = headerAttributes(headers, query);
  if (contentType !== '') attributes.add(DATA_TYPE, contentType);
  const isJson = isJsonData(contentType) && body.length > 0;
  if (isJson) requireJson(body, 'the body');

  const builder = new BatchBuilder();
  const event = {
    attributes,
    data: { body, isJson },
    defaultType: body.length > 0 ? UNTYPED_DATA : NO_DATA,
    ...(query.routing_key !== undefined && { routingKey: query.routing_key }),
    ...messageDelay(query, (name) => name),
  };
  addEvent(builder, event, 'event');
  return { built: builder.finish(), options: {} };
}

function headerAttributes(headers: Headers, { key }: PublishQuery): EventAttributes {
  const attributes = new EventAttributes((name) => fieldOf(name, key !== undefined));
  headers.forEach((value, name) => {
    if (name.startsWith('varve-header-')) {
      throw invalid(name, `${name} is for messages that are no events: name it ce-… instead`);
    }
    if (!name.startsWith(ATTRIBUTE_PREFIX)) return;
    const attribute = name.slice(ATTRIBUTE_PREFIX.length);
    if (attribute === DATA_TYPE) throw invalid(name, `${name} is Content-Type here: leave it out`);
    attributes.add(attribute, headerText(value, name));
  });
  if (key !== undefined) attributes.add(PARTITION_KEY, key);
  return attributes;
}

function fieldOf(name: string, hasKey: boolean): string {
  if (name === DATA_TYPE) return 'Content-Type';
  return name === PARTITION_KEY && hasKey ? 'key' : `${ATTRIBUTE_PREFIX}${name}`;
}

/**
 * Without quotes, and percent-decoded once. A percent sign before anything but two hex digits stands for
 * itself, as in the headers of libraries that do not encode.
 */
function headerText(value: string, field: string): string {
  try {
    return withoutQuotes(sentText(value)).replace(/(?:%[0-9A-Fa-f]{2})+/g, decodeURIComponent);
  } catch (cause) {
    const message = `${field} is not percent-encoded UTF-8`;
    throw new LogError(message, { code: 'invalid_request', details: { field }, cause });
  }
}

/** Earlier versions of the binding quoted what holds spaces. */
function withoutQuotes(text: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(text);
  return quoted === null ? text : (quoted[1] ?? '').replace(/\\(.)/g, '$1');
}
