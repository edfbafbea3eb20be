/** Chooses how a publish's body is read, by its content type (api, "Content types"). */
import type { BuiltBatch } from '../../services/batch-builder.ts';
import { invalid, LogError } from '../../services/log-error.ts';
import { MESSAGES_TYPE } from '../../wire/frame.ts';
import { parseBinaryBatch } from './binary-batch.ts';
import { hasEventHeaders, parseBinaryEvent } from './binary-event.ts';
import { parseJsonEnvelope } from './json-envelope.ts';
import { parseJsonEvent, parseJsonEvents } from './json-event.ts';
import { parseMessageLines, parseNdjson } from './line-messages.ts';
import type { PublishOptions, PublishQuery } from './publish-options.ts';
import { parseRawMessage } from './raw-message.ts';

export interface ParsedPublish {
  readonly built: BuiltBatch;
  /** Those given with the body. */
  readonly options: PublishOptions;
}

const PARSERS: { readonly [type: string]: (body: Uint8Array) => ParsedPublish } = {
  'application/json': parseJsonEnvelope,
  'application/x-ndjson': parseNdjson,
  [MESSAGES_TYPE]: parseBinaryBatch,
  [`${MESSAGES_TYPE}+ndjson`]: parseMessageLines,
  'application/cloudevents+json': parseJsonEvent,
  'application/cloudevents-batch+json': parseJsonEvents,
};

/** What `curl -d` says by itself, and what a client says that sets no type: text, one message. */
const UNTYPED = new Set(['', 'application/x-www-form-urlencoded']);
export const TEXT_TYPE = 'text/plain; charset=utf-8';

export function parsePublish(
  body: Uint8Array,
  from: { readonly headers: Headers; readonly query: PublishQuery },
): ParsedPublish {
  const { headers, query } = from;
  const declared = headers.get('content-type') ?? '';
  const type = essence(declared);
  if (!query.raw && isBinaryEvent(type, headers)) {
    return parseBinaryEvent(body, { contentType: declared, headers, query });
  }
  const parse = query.raw || !Object.hasOwn(PARSERS, type) ? undefined : PARSERS[type];
  if (parse === undefined) {
    if (!query.raw) refuseEventFormat(type);
    const contentType = UNTYPED.has(type) ? TEXT_TYPE : declared;
    return parseRawMessage(body, { contentType, headers, query });
  }
  refuseMessageParameters(query, type);
  return parse(body);
}

export function essence(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** Types that begin so hold whole events: with them `ce-` headers say nothing new. */
const EVENT_TYPES = 'application/cloudevents';

function isBinaryEvent(type: string, headers: Headers): boolean {
  return !type.startsWith(EVENT_TYPES) && hasEventHeaders(headers);
}

/** Avro and others: stored as bytes, they would read as no events. */
function refuseEventFormat(type: string): void {
  if (!type.startsWith(EVENT_TYPES)) return;
  throw new LogError(
    `${type} is no format that events are taken in: send application/cloudevents+json or -batch+json, or ?raw=true to store the body as it is`,
    { code: 'unsupported_media_type', details: { field: 'Content-Type' } },
  );
}

const MESSAGE_PARAMETERS = ['key', 'routing_key', 'delay_ms', 'deliver_at'] as const;

function refuseMessageParameters(query: PublishQuery, type: string): void {
  const field = MESSAGE_PARAMETERS.find((name) => query[name] !== undefined);
  if (field === undefined) return;
  throw invalid(field, `${field} is for one raw message: with ${type} give it with each message`);
}
