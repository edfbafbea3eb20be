/** The parameters of a read, the same as query parameters and as members of `POST …/read`. */
import { z } from 'zod';
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

const START = {
  from: z.union([z.string(), z.int()]).optional(),
  on_gap: z.enum(['continue', 'error']).optional(),
  on_future: z.enum(['clamp', 'error']).optional(),
  if_stream_id: z.string().optional(),
};

export const startSchema = z.strictObject(START);

export const readSchema = z.strictObject({
  ...START,
  limit: z.int().min(1).max(READ_LIMIT_MAX).optional(),
  max_bytes: z.int().min(1).max(READ_BYTES_MAX).optional(),
  until: z.union([z.string(), z.int()]).optional(),
  wait: z.int().min(0).max(WAIT_SECONDS_MAX).optional(),
  body: z.enum(['base64']).optional(),
  as: z.enum(READ_FORMATS).optional(),
  follow: z.boolean().optional(),
});

export type StartParameters = z.output<typeof startSchema>;
export type ReadParameters = z.output<typeof readSchema>;

export const LATER_READ_PARAMETERS: ReadonlySet<string> = new Set([
  'consumer',
  'commit',
  'track',
  'from_default',
  'filter',
  'match',
  'match_unfiltered',
]);

export function startRequest(parameters: StartParameters) {
  const { from, on_gap, on_future, if_stream_id } = parameters;
  return {
    ...position(from),
    onGap: on_gap ?? 'continue',
    onFuture: on_future ?? 'clamp',
    ...(if_stream_id !== undefined && { ifStreamId: if_stream_id }),
  } as const;
}

function position(from: string | number | undefined): { position: Position; from?: string } {
  if (from === undefined) return { position: { kind: 'first' } };

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
