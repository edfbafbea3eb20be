/**
 * Builds the batch of one publish from messages of any form, and refuses the first one that breaks a
 * rule by its place in the request (SPEC P6, P10). All or nothing: a refusal leaves nothing behind.
 */
import { MESSAGES_PER_REQUEST_MAX } from '../core/log/limits.ts';
import {
  checkContentType,
  checkSizes,
  isJsonType,
  planHeaders,
  type RejectedMessage,
} from '../core/log/message.ts';
import { propertiesFault } from '../core/log/properties.ts';
import type { AskedDelay } from '../core/timer/delay.ts';
import type { Batch } from '../ports/log-store.ts';
import { compactJson, scanMembers, withoutMembers } from '../wire/json-text.ts';
import { encodeRecords, recordBytes, type WireRecord } from '../wire/record.ts';
import { withPlainName } from './blind-copies.ts';
import type { AskedMessage } from './held-messages.ts';
import { invalid, LogError } from './log-error.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** A message as it came in; texts must be well-formed Unicode. */
export interface MessageInput {
  readonly body: Uint8Array;
  readonly contentType: string;
  /** True when the body was accepted by a JSON parser. */
  readonly isJson: boolean;
  readonly key?: string;
  readonly routingKey?: string;
  /** As parsed, for checks, and as text, which is what is stored: its numbers keep their digits. */
  readonly headers?: { readonly text: Uint8Array; readonly parsed: JsonObject };
  readonly properties?: JsonObject;
  readonly publishingId?: number;
  /** As asked for by a member, and how an error names that. */
  readonly delay?: { readonly asked: AskedDelay; readonly field: string };
}

export interface BuiltBatch {
  readonly batch: Batch;
  /** Empty when no message has one, else one for each message. */
  readonly messageIds: readonly (number | undefined)[];
  /** Those that ask to be held by a member of theirs (SPEC L2). */
  readonly delayed: readonly AskedMessage[];
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BACKSLASH = 0x5c;

export class BatchBuilder {
  readonly #records: WireRecord[] = [];
  readonly #ids: (number | undefined)[] = [];
  readonly #delayed: AskedMessage[] = [];
  #bytes = 0;
  #jsonChecked = true;
  #hasIds = false;

  /** `place` is where the message stands in the request, for errors: `messages[3]`, `line 4`. */
  add(input: MessageInput, place: string): void {
    if (this.#records.length >= MESSAGES_PER_REQUEST_MAX) throw tooManyMessages();

    const record = buildRecord(input, place);
    const bytes = recordBytes(record);
    const headersBytes = record.headers?.length ?? 0;
    const fault =
      checkContentType(input.contentType) ?? checkSizes({ messageBytes: bytes, headersBytes });
    if (fault !== undefined) throw messageError(fault, place);

    const { delay } = input;
    if (delay !== undefined) {
      this.#delayed.push({
        index: this.#records.length,
        delay: delay.asked,
        field: delay.field,
      });
    }
    this.#records.push(record);
    this.#ids.push(input.publishingId);
    this.#hasIds ||= input.publishingId !== undefined;
    this.#bytes += bytes;
    this.#jsonChecked &&= input.isJson || !isJsonType(input.contentType);
  }

  finish(): BuiltBatch {
    if (this.#records.length === 0) throw invalid('messages', 'give at least one message');
    return {
      batch: {
        count: this.#records.length,
        records: encodeRecords(this.#records),
        bytes: this.#bytes,
        jsonChecked: this.#jsonChecked,
      },
      messageIds: this.#hasIds ? this.#ids : [],
      delayed: this.#delayed,
    };
  }
}

/**
 * What {@link BatchBuilder} makes of one message that is a body alone, of a type that is no JSON type and
 * surely valid, with less work. The body must be below the limit of a message.
 */
export function bodyBatch(body: Uint8Array, contentType: string): Batch {
  const records = encodeRecords([{ body, contentType }]);
  return { count: 1, records, bytes: body.length, jsonChecked: true };
}

function buildRecord(input: MessageInput, place: string): WireRecord {
  const headers = input.headers && storedHeaders(input.headers, place);
  const properties = input.properties && storedProperties(input.properties, place);
  return {
    body: input.body,
    contentType: input.contentType,
    ...(input.key !== undefined && { key: encodeText(input.key, `${place}.key`) }),
    ...(input.routingKey !== undefined && {
      routingKey: encodeText(input.routingKey, `${place}.routing_key`),
    }),
    ...(headers && { headers }),
    ...(properties && { properties }),
  };
}

/** Half a surrogate pair has no UTF-8: it would be stored as another character (SPEC P10). */
export function encodeText(text: string, field: string): Uint8Array {
  if (text.isWellFormed()) return encoder.encode(text);
  throw invalid(
    field,
    `${field} holds half a surrogate pair, which has no UTF-8: send it as base64`,
  );
}

/** One line, since line-based answers embed it as it is; undefined when nothing is left. */
function storedHeaders(
  { text, parsed }: NonNullable<MessageInput['headers']>,
  place: string,
): Uint8Array | undefined {
  const named = text.includes(BACKSLASH) ? namedBySource(text) : parsed;
  const plan = planHeaders(named);
  if (plan.kind === 'reject') throw messageError(plan, place);
  if (Object.keys(parsed).length === 0) return undefined;
  const kept = Object.hasOwn(named, 'BCC') ? withPlainName(text, named['BCC']) : text;
  if (plan.dropped.length > 0) return nonEmpty(withoutMembers(kept, new Set(plan.dropped)));
  return kept.includes(LINE_FEED) || kept.includes(CARRIAGE_RETURN) ? compactJson(kept) : kept;
}

/**
 * The headers with their names read from the text. V8 13.6 (Node 24.21) takes an escaped name for one
 * that an earlier object of this shape had, if that one is spelled as the escape: `x-death` written
 * with an escape would get past the check, once somebody else has sent the other name.
 */
function namedBySource(text: Uint8Array): JsonObject {
  const members = scanMembers(text, 0).map(({ name, value }): [string, unknown] => [
    name,
    JSON.parse(decoder.decode(text.subarray(value.start, value.end))),
  ]);
  return Object.fromEntries(members);
}

function nonEmpty(objectText: Uint8Array): Uint8Array | undefined {
  return objectText.length > '{}'.length ? objectText : undefined;
}

function storedProperties(properties: JsonObject, place: string): Uint8Array | undefined {
  const fault = propertiesFault(properties);
  if (fault !== undefined) throw invalid(`${place}.${fault.field}`, `${place}: ${fault.reason}`);
  return nonEmpty(encoder.encode(JSON.stringify(properties)));
}

function messageError(fault: RejectedMessage, place: string): LogError {
  const { limit, actual } = fault;
  return new LogError(`${place}: ${fault.reason}`, {
    code: fault.code,
    details: {
      field: fault.field === 'message' ? place : `${place}.${fault.field}`,
      ...(limit !== undefined && { limit }),
      ...(actual !== undefined && { actual }),
    },
  });
}

export function tooManyMessages(actual?: number): LogError {
  return new LogError(`a request holds at most ${MESSAGES_PER_REQUEST_MAX} messages: split it`, {
    code: 'too_many_messages',
    details: { limit: MESSAGES_PER_REQUEST_MAX, ...(actual !== undefined && { actual }) },
  });
}
