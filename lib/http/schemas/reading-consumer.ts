/** The parameters of a read by a consumer (SPEC O10, C4, C5), and what they come to. */
import * as z from 'zod';
import { type ConsumerName, isNeverStored, parseConsumerName } from '../../core/log/ids.ts';
import type { Position } from '../../core/log/position.ts';
import { parsePosition } from '../../core/log/position-syntax.ts';
import { invalid, LogError } from '../../services/log-error.ts';
import type { ReadingConsumer } from '../../services/start-reader.ts';
import { CONSUMER_NAME_FORM } from './log-values.ts';
import { POSITION_FORMS } from './position-forms.ts';

export const CONSUMER_PARAMETERS = {
  consumer: z
    .string()
    .optional()
    .meta({
      description:
        'Reads as this consumer: without `from` it starts at the offset that is stored for it.',
      ...CONSUMER_NAME_FORM,
      examples: ['audit'],
    }),
  commit: z
    .int()
    .min(0)
    .optional()
    .describe(
      'Stores this offset for the consumer, unless a later one is stored, and reads from there: give the `next` of the last answer once its messages are handled.',
    ),
  track: z.boolean().optional().meta({
    description: 'Whether the stored offset goes before `from`, which then is for the first read.',
    default: false,
  }),
  from_default: z
    .union([z.string(), z.int()])
    .optional()
    .meta({
      description: 'Where a consumer starts that has no offset stored.',
      ...POSITION_FORMS,
      default: 'first',
      examples: ['next'],
    }),
};

type ConsumerParameters = z.output<z.ZodObject<typeof CONSUMER_PARAMETERS>>;

/** Throws what a client gave that is no name of a consumer (SPEC C7, P9). */
export function consumerName(text: string): ConsumerName {
  const parsed = parseConsumerName(text);
  if (parsed.kind === 'ok') return parsed.name;
  throw new LogError(parsed.reason, { code: 'invalid_name', details: { field: 'consumer' } });
}

export function readingConsumer(parameters: ConsumerParameters): ReadingConsumer | undefined {
  const { consumer, commit, track = false, from_default } = parameters;
  if (consumer === undefined) {
    refuseAlone(parameters);
    return undefined;
  }
  const name = consumerName(consumer);
  if (commit !== undefined && isNeverStored(name)) {
    throw invalid(
      'commit',
      `commit: an offset of ${JSON.stringify(name)} is never stored, as its name begins with "amq.ctag-"`,
    );
  }
  return {
    name,
    ...(commit !== undefined && { commit }),
    track,
    otherwise: otherwise(from_default),
  };
}

/** Without a consumer they would be passed over, and a reader would rely on what is not stored. */
function refuseAlone(parameters: ConsumerParameters): void {
  for (const field of ['commit', 'track', 'from_default'] as const) {
    if (parameters[field] === undefined) continue;
    throw invalid(field, `${field} needs a consumer: name it with consumer`);
  }
}

function otherwise(text: string | number | undefined): { position: Position; from?: string } {
  if (text === undefined) return { position: { kind: 'first' } };
  const parsed = parsePosition(String(text));
  const reason = parsed.kind === 'ok' ? storedFault(parsed.position) : parsed.reason;
  if (parsed.kind === 'ok' && reason === undefined) {
    return { position: parsed.position, from: String(text) };
  }
  throw new LogError(`from_default: ${reason}`, {
    code: 'invalid_offset',
    details: { field: 'from_default' },
  });
}

function storedFault({ kind }: Position): string | undefined {
  return kind === 'stored'
    ? 'it says where to start when nothing is stored: name another position'
    : undefined;
}
