/** The parameters of a read, the same as query parameters and as members of `POST …/read`. */
import * as z from 'zod';
import { parseInstant } from '../../core/log/instant.ts';
import {
  READ_BYTES_DEFAULT,
  READ_BYTES_MAX,
  READ_LIMIT_DEFAULT,
  READ_LIMIT_MAX,
  WAIT_SECONDS_MAX,
} from '../../core/log/limits.ts';
import type { Position } from '../../core/log/position.ts';
import { parsePosition } from '../../core/log/position-syntax.ts';
import { invalid, LogError } from '../../services/log-error.ts';
import type { ReadRequest } from '../../services/read-messages.ts';
import { READ_FORMATS } from '../read-format.ts';
import { FILTER_FORMS, FILTER_TEXT_FORMS, MATCH_FORM } from './filter-forms.ts';
import { FROM_FORMS, INSTANT_FORMS } from './position-forms.ts';
import { CONSUMER_PARAMETERS, readingConsumer } from './reading-consumer.ts';

const START = {
  from: z
    .union([z.string(), z.int()])
    .optional()
    .meta({
      description:
        'Where to start: `first`, `last` (the chunk published last), `next`, an offset such as `120`, `-100` for the newest hundred, `ts:2026-11-29T10:00:00Z`, or `1h` ago. A consumer starts at `stored` unless told otherwise.',
      ...FROM_FORMS,
      default: 'first',
      examples: ['first', -100, 'ts:2026-11-29T10:00:00Z', '1h'],
    }),
  on_gap: z.enum(['continue', 'error']).optional().meta({
    description: 'Whether dropped messages are told as a `gap`, or as 410 `offset_trimmed`.',
    default: 'continue',
  }),
  on_future: z.enum(['clamp', 'error']).optional().meta({
    description:
      'Whether an offset that is not published yet means the tail, or is 416 `offset_past_tail`.',
    default: 'clamp',
  }),
  if_stream_id: z
    .string()
    .optional()
    .describe('Refuses with 409 `stream_recreated` when the stream is not this one any more.'),
  ...CONSUMER_PARAMETERS,
};

export const startSchema = z.strictObject(START);

const FILTER =
  'Only messages that match. A text is a list of filter values: `north,south`. An object asks for headers (`{"region":"eu"}`), filter values (`x-stream-filter`) and places (`geo-within-radius`, `geo-bbox`, `geo-polygon`); an array holds several.';

export const readSchema = z.strictObject({
  ...START,
  limit: z.int().min(1).max(READ_LIMIT_MAX).optional().meta({
    description: 'Messages at most. Events and `follow` have no limit by default.',
    default: READ_LIMIT_DEFAULT,
  }),
  max_bytes: z.int().min(1).max(READ_BYTES_MAX).optional().meta({
    description:
      'Bytes of messages at most; one message is always given. Events and `follow` have no limit by default.',
    default: READ_BYTES_DEFAULT,
  }),
  until: z
    .union([z.string(), z.int()])
    .optional()
    .meta({
      description:
        'Ends before the first message at or after this time: ms since 1970, or RFC 3339.',
      ...INSTANT_FORMS,
      examples: ['2026-11-30T00:00:00Z'],
    }),
  wait: z.int().min(0).max(WAIT_SECONDS_MAX).optional().meta({
    description: 'Seconds to wait for the first message when there is none.',
    default: 0,
  }),
  filter: z
    .string()
    .optional()
    .meta({ description: `${FILTER} JSON begins with \`{\` or \`[\`.`, ...FILTER_TEXT_FORMS }),
  match: z
    .string()
    .optional()
    .meta({
      description:
        'Whether a message matches when all parts of the filter do, or any of them; in any letter case.',
      ...MATCH_FORM,
      default: 'all',
    }),
  match_unfiltered: z.boolean().optional().meta({
    description:
      'Gives messages without the header `x-stream-filter-value` too, whatever else is asked for.',
    default: false,
  }),
  body: z.enum(['base64']).optional().describe('Gives every body as `base64`.'),
  as: z.enum(READ_FORMATS).optional().describe('The format of the answer; goes before `Accept`.'),
  follow: z
    .boolean()
    .optional()
    .describe('With `ndjson` and `text`: each new message follows as a line, without end.'),
});

/** As members of a body: there a filter is JSON, and its own parser tells what is wrong with it. */
export const readBodySchema = z.strictObject({
  ...readSchema.shape,
  filter: z
    .unknown()
    .meta({ description: FILTER, ...FILTER_FORMS })
    .optional(),
});

export type StartParameters = z.output<typeof startSchema>;
export type ReadParameters = Omit<z.output<typeof readSchema>, 'filter'>;

export function startRequest(parameters: StartParameters) {
  const { from, on_gap, on_future, if_stream_id } = parameters;
  const consumer = readingConsumer(parameters);
  return {
    ...position(from, consumer === undefined ? 'first' : 'stored'),
    ...(consumer && { consumer }),
    onGap: on_gap ?? 'continue',
    onFuture: on_future ?? 'clamp',
    ...(if_stream_id !== undefined && { ifStreamId: if_stream_id }),
  } as const;
}

function position(
  from: string | number | undefined,
  unsaid: 'first' | 'stored',
): { position: Position; from?: string } {
  if (from === undefined) return { position: { kind: unsaid } };

  const text = String(from);
  const parsed = parsePosition(text);
  if (parsed.kind === 'ok') return { position: parsed.position, from: text };
  throw new LogError(parsed.reason, { code: 'invalid_offset', details: { field: 'from' } });
}

/** What a page is bounded by; a follower takes only what the client gave. */
export function readBounds(
  parameters: ReadParameters,
): Pick<ReadRequest, 'limit' | 'bytesMax' | 'untilMs' | 'waitMs'> {
  return {
    limit: parameters.limit ?? READ_LIMIT_DEFAULT,
    bytesMax: parameters.max_bytes ?? READ_BYTES_DEFAULT,
    waitMs: (parameters.wait ?? 0) * 1_000,
    ...untilBound(parameters.until),
  };
}

export function untilBound(until: string | number | undefined): { readonly untilMs?: number } {
  if (until === undefined) return {};
  const parsed = parseInstant(String(until));
  if (parsed.kind === 'reject') throw invalid('until', `until: ${parsed.reason}`);
  return { untilMs: parsed.ms };
}
