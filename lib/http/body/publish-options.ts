/**
 * The options of a publish: given as query parameters with any body, or as members of the JSON
 * envelope; the same schema reads both, and one given twice is refused.
 */
import * as z from 'zod';
import { parsePublisherName } from '../../core/log/ids.ts';
import { FENCING_TOKEN_BYTES_MAX } from '../../core/log/limits.ts';
import type { PublisherClaim } from '../../core/log/publisher.ts';
import { planPublishingIds } from '../../core/log/publishing-ids.ts';
import type { BuiltBatch } from '../../services/batch-builder.ts';
import { invalid, LogError } from '../../services/log-error.ts';
import { parseQuery, validate } from '../query.ts';
import { delayMembers } from '../schemas/delay.ts';
import { boundedText, NAME_FORM } from '../schemas/log-values.ts';

const integer = z.int().min(0);

export const PUBLISH_OPTIONS = {
  expected_offset: integer
    .optional()
    .describe('Stores only if this is the next offset, else 412 `offset_mismatch`.'),
  fencing_token: boundedText(FENCING_TOKEN_BYTES_MAX)
    .optional()
    .describe('Stores only if the stream carries this token, else 412 `fenced`.'),
  publisher: z
    .string()
    .optional()
    .meta({
      description: 'A name under which the messages are numbered, so that a repeat is recognised.',
      ...NAME_FORM,
    }),
  publishing_id: integer
    .optional()
    .describe('Of the first message; the others count on. Needs `publisher`.'),
  epoch: integer
    .optional()
    .describe('Fences off instances of the publisher with a lower one. Needs `publisher`.'),
};

const optionsSchema = z.strictObject(PUBLISH_OPTIONS);
export const publishQuerySchema = z.strictObject({
  ...PUBLISH_OPTIONS,
  create: z.boolean().optional().meta({
    description: 'Creates a stream that is missing, with the first message stored.',
    default: false,
  }),
  raw: z.boolean().optional().meta({
    description: 'Makes any body one message as it stands, JSON too.',
    default: false,
  }),
  key: z.string().optional().describe('Of the one message that a raw body is.'),
  routing_key: z.string().optional().describe('Of the one message that a raw body is.'),
  ...delayMembers('Of the one message that a raw body is: '),
});

/** What says where in one stream, or whether to make one, means nothing for several. */
export const publishExchangeQuerySchema = publishQuerySchema.omit({
  create: true,
  expected_offset: true,
  fencing_token: true,
});

export type PublishOptions = z.output<typeof optionsSchema>;
export type PublishQuery = z.output<typeof publishQuerySchema>;

const NO_QUERY: PublishQuery = {};

export function parsePublishQuery(url: string): PublishQuery {
  return url.includes('?') ? parseQuery(url, publishQuerySchema) : NO_QUERY;
}

export function parseExchangeQuery(url: string): PublishQuery {
  return url.includes('?') ? parseQuery(url, publishExchangeQuerySchema) : NO_QUERY;
}

/** Also when they come with the body. */
export function refuseStreamOptions(options: PublishOptions): void {
  const field = (['expected_offset', 'fencing_token'] as const).find(
    (name) => options[name] !== undefined,
  );
  if (field === undefined) return;
  throw invalid(field, `${field} is for a publish to one stream: leave it out`);
}

/** `members` are those of the envelope but `messages`. */
export function parseEnvelopeOptions(members: Readonly<Record<string, unknown>>): PublishOptions {
  return Object.keys(members).length === 0 ? {} : validate(members, optionsSchema);
}

/** Told apart from other unknown members, since whoever sends a body of their own wants another thing. */
export function refuseUnknownOption(name: string): void {
  if (Object.hasOwn(PUBLISH_OPTIONS, name)) return;
  const field = name.slice(0, 64);
  throw invalid(
    field,
    `${JSON.stringify(field)} is not a member of a publish: messages go into "messages", and ?raw=true publishes any body as it is`,
  );
}

export function mergeOptions(query: PublishQuery, envelope: PublishOptions): PublishOptions {
  const {
    create: _,
    raw: _raw,
    key: _key,
    routing_key: _routingKey,
    delay_ms: _delay,
    deliver_at: _at,
    ...options
  } = query;
  for (const name of Object.keys(envelope)) {
    if (Object.hasOwn(options, name)) {
      throw invalid(name, `${name} is given in the query and in the body: give it once`);
    }
  }
  return { ...options, ...envelope };
}

/** The publisher's part of the append, when it names one (SPEC D2, D4, D7). */
export function publisherClaim(
  options: PublishOptions,
  { batch, messageIds }: BuiltBatch,
): PublisherClaim | undefined {
  const planned = planPublishingIds({
    count: batch.count,
    publisher: options.publisher,
    epoch: options.epoch,
    firstId: options.publishing_id,
    messageIds,
  });
  if (planned.kind === 'reject') throw invalid(planned.field, planned.reason);
  if (planned.kind === 'unnamed') return undefined;

  const parsed = parsePublisherName(options.publisher ?? '');
  if (parsed.kind === 'reject') {
    throw new LogError(parsed.reason, { code: 'invalid_name', details: { field: 'publisher' } });
  }
  const { epoch } = options;
  return { name: parsed.name, ids: planned.ids, ...(epoch !== undefined && { epoch }) };
}
