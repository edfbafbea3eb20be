/**
 * The options of a publish: given as query parameters with any body, or as members of the JSON
 * envelope; the same schema reads both, and one given twice is refused.
 */
import { z } from 'zod';
import { parsePublisherName } from '../../core/log/ids.ts';
import { FENCING_TOKEN_BYTES_MAX } from '../../core/log/limits.ts';
import type { PublisherClaim } from '../../core/log/publisher.ts';
import { planPublishingIds } from '../../core/log/publishing-ids.ts';
import type { BuiltBatch } from '../../services/batch-builder.ts';
import { invalid, LogError } from '../../services/log-error.ts';
import { parseQuery, validate } from '../query.ts';

const integer = z.int().min(0);

const OPTIONS = {
  expected_offset: integer.optional(),
  fencing_token: z.string().min(1).max(FENCING_TOKEN_BYTES_MAX).optional(),
  publisher: z.string().optional(),
  publishing_id: integer.optional(),
  epoch: integer.optional(),
};

const optionsSchema = z.strictObject(OPTIONS);
const querySchema = z.strictObject({
  ...OPTIONS,
  create: z.boolean().optional(),
  raw: z.boolean().optional(),
  key: z.string().optional(),
  routing_key: z.string().optional(),
});

export type PublishOptions = z.output<typeof optionsSchema>;
export type PublishQuery = z.output<typeof querySchema>;

const LATER = new Set(['delay_ms', 'deliver_at']);
const NO_QUERY: PublishQuery = {};

export function parsePublishQuery(url: string): PublishQuery {
  return url.includes('?') ? parseQuery(url, querySchema, LATER) : NO_QUERY;
}

/** `members` are those of the envelope but `messages`. */
export function parseEnvelopeOptions(members: Readonly<Record<string, unknown>>): PublishOptions {
  const names = Object.keys(members);
  if (names.length === 0) return {};

  const unknown = names.find((name) => !Object.hasOwn(OPTIONS, name) && !LATER.has(name));
  if (unknown === undefined) return validate(members, optionsSchema, LATER);
  throw invalid(
    unknown.slice(0, 64),
    `${JSON.stringify(unknown.slice(0, 64))} is not a member of a publish: messages go into "messages", and ?raw=true publishes any body as it is`,
  );
}

export function mergeOptions(query: PublishQuery, envelope: PublishOptions): PublishOptions {
  const { create: _, raw: _raw, key: _key, routing_key: _routingKey, ...options } = query;
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
