/**
 * What a route tells of itself: the description of the API is made of these, and of the schemas that
 * validate. Constants with functions for schemas, so that a start of the service pays nothing.
 */
import type { z } from 'zod';
import type { ErrorCode } from '../../wire/error-codes.ts';

export type Schema = () => z.ZodType;
export type Tag =
  | 'Publish'
  | 'Read'
  | 'Streams'
  | 'Retention'
  | 'Publishers'
  | 'Consumers'
  | 'Exchanges'
  | 'Delayed'
  | 'Service';

export interface Operation {
  /** Lower camel case, unique: generated clients take it for a method's name. */
  readonly id: string;
  readonly tag: Tag;
  /** A few words, imperative. */
  readonly summary: string;
  /** Paragraphs with a blank line between them; `code` in backticks. */
  readonly description: string;
  /** The object that validates the query parameters. */
  readonly query?: z.ZodObject;
  readonly headers?: readonly RequestHeader[];
  readonly body?: RequestBody;
  readonly answers: { readonly [status: string]: DescribedAnswer };
  /** Those beside {@link EVERYWHERE}. */
  readonly errors: readonly ErrorCode[];
  readonly example: Example;
}

export interface RequestHeader {
  readonly name: string;
  readonly description: string;
  readonly example: string;
}

/** Of answers that carry an `ETag`. */
export const IF_NONE_MATCH: RequestHeader = {
  name: 'If-None-Match',
  description: 'The `ETag` of an earlier answer: 304 when nothing has changed since.',
  example: '"0"',
};
export const UNCHANGED: DescribedAnswer = {
  description: 'Nothing has changed.',
  headers: ['ETag'],
};

export interface RequestBody {
  readonly required: boolean;
  readonly description?: string;
  /** By content type; JSON bodies are described by the object that validates them. */
  readonly content: { readonly [contentType: string]: Content };
}

export interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface DescribedAnswer {
  readonly description: string;
  readonly headers?: readonly AnswerHeader[];
  readonly content?: { readonly [contentType: string]: Content };
}

/** Beside `X-Request-Id`, which every answer has, and `Server-Timing`, which those have that asked the
 *  store. One with `?` may be missing. */
export type AnswerHeader =
  | 'ETag'
  | 'ETag?'
  | 'Varve-Next'
  | 'Varve-Stream-Id'
  | 'Varve-Resolved'
  | 'Varve-First?'
  | 'Varve-Tail?'
  | 'Varve-Up-To-Date?'
  | 'Varve-Gap?'
  | 'Varve-Clamped?';

/**
 * A request that succeeds on a stream `orders` with some messages, a publisher `press-1`, a consumer `audit`, and a
 * topic exchange `quakes`, and a message that is held.
 */
export interface Example {
  readonly query?: string;
  readonly contentType?: string;
  readonly body?: string;
}

/** What any path can answer: some of it is decided before it is known which route was meant. */
export const EVERYWHERE: readonly ErrorCode[] = ['invalid_request', 'invalid_name', 'internal'];

/** Of routes that ask the store. */
export const OF_STORE: readonly ErrorCode[] = ['corrupt_data', 'unavailable', 'store_timeout'];
/** Of routes about one stream. */
export const OF_STREAM: readonly ErrorCode[] = ['stream_not_found', ...OF_STORE];
/** Of routes about one exchange. */
export const OF_EXCHANGE: readonly ErrorCode[] = ['exchange_not_found', ...OF_STORE];
/** Of routes that read a body. */
export const OF_BODY: readonly ErrorCode[] = ['request_too_large', 'unsupported_media_type'];
export function asksStore({ errors }: Operation): boolean {
  return OF_STORE.every((code) => errors.includes(code));
}

/** Of routes that start at a position. */
export const OF_START: readonly ErrorCode[] = [
  'invalid_offset',
  'setting_not_supported',
  'stream_recreated',
  'offset_trimmed',
  'offset_past_tail',
];

export function jsonBody(schema: Schema, example?: unknown): RequestBody['content'] {
  return { 'application/json': { schema, ...(example !== undefined && { example }) } };
}

export function jsonAnswerOf(description: string, schema: Schema): DescribedAnswer {
  return { description, content: { 'application/json': { schema } } };
}

/** A description that a client may keep and ask about: to be spread into the operation. */
export function entityOf(
  description: string,
  schema: Schema,
): Pick<Operation, 'headers' | 'answers'> {
  const answer = { ...jsonAnswerOf(description, schema), headers: ['ETag'] as const };
  return { headers: [IF_NONE_MATCH], answers: { 200: answer, 304: UNCHANGED } };
}
