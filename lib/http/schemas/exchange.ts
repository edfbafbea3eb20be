/** Exchanges, bindings and what a publish through one came to, as they are sent and answered (SPEC X1-X11). */
import * as z from 'zod';
import { ROUTING_KEY_BYTES_MAX, WEIGHT_MAX } from '../../core/routing/binding.ts';
import { DELAYED_TYPE, EXCHANGE_TYPES } from '../../core/routing/exchange.ts';
import { lazy } from './lazy.ts';
import { listOf } from './lists.ts';
import { EXCHANGE_NAME_FORM, NAME_FORM, timeValue } from './log-values.ts';
import { deduplicationSetting, deduplicationShown } from './stream.ts';

const TYPES = [...EXCHANGE_TYPES, DELAYED_TYPE] as const;

const type = () =>
  z
    .enum(TYPES)
    .describe(
      '`direct`: bindings with the same key. `fanout`: all. `topic`: keys are words between dots; in a binding `*` is one word and `#` any number of them. `headers`: by the arguments of bindings. `x-consistent-hash`: one binding for each key, by their weights. `x-delayed-message`: as `delayed_type` says, and `delayed`.',
    );

const delayedType = () => z.enum(EXCHANGE_TYPES).describe('Of `x-delayed-message`: how it routes.');

const args = () =>
  z
    .strictObject({
      'x-match': z
        .enum(['all', 'any'])
        .optional()
        .describe('Of `headers`: for bindings that do not say, `all` by default.'),
      hash_on: z
        .string()
        .min(1)
        .optional()
        .describe('Of `x-consistent-hash`: the header that is hashed instead of the routing key.'),
    })
    .describe('What belongs to its type.');

const REMEMBERS =
  'A message with a value that the exchange remembers goes to those destinations of the first one that lack it, and to no other. Of what is published to the exchange, up to 99 messages a request.';

const MEMBERS = {
  alternate_exchange: () =>
    z.string().meta({ description: 'Takes what nothing is bound for.', ...NAME_FORM }),
  internal: () => z.boolean().describe('Takes messages from other exchanges only.'),
  delayed: () =>
    z.boolean().describe('Holds messages that ask for it, and routes them when they are due.'),
  auto_delete: () => z.boolean().describe('Goes with the last of its bindings.'),
};

export const exchangeDeclaration = lazy(() =>
  z
    .strictObject({
      type: type(),
      delayed: MEMBERS.delayed().nullish(),
      delayed_type: delayedType().nullish(),
      alternate_exchange: MEMBERS.alternate_exchange().nullish(),
      internal: MEMBERS.internal().nullish(),
      auto_delete: MEMBERS.auto_delete().nullish(),
      arguments: args().nullish(),
      deduplication: deduplicationSetting(REMEMBERS).nullish(),
    })
    .meta({ id: 'ExchangeDeclaration' }),
);

export const exchange = lazy(() =>
  z
    .object({
      name: z.string().meta({ ...EXCHANGE_NAME_FORM }),
      type: type(),
      delayed: MEMBERS.delayed(),
      delayed_type: delayedType().nullable(),
      alternate_exchange: MEMBERS.alternate_exchange().nullable(),
      internal: MEMBERS.internal(),
      auto_delete: MEMBERS.auto_delete(),
      arguments: args(),
      deduplication: deduplicationShown().nullable(),
      exchange_id: z.string().nullable().describe('Which exchange of that name this is.'),
      created_at: timeValue('When it was declared').nullable(),
    })
    .meta({ id: 'Exchange' }),
);

export const exchangeList = lazy(() => listOf(exchange()));

const destinationType = (kinds: readonly ['stream', 'exchange']) =>
  z.enum(kinds).describe('What is bound.');

const destination = () =>
  z.string().meta({ description: 'Its name. It must exist.', ...NAME_FORM });

export const bindingRequest = lazy(() =>
  z
    .strictObject({
      destination_type: destinationType(['stream', 'exchange']),
      destination: destination(),
      routing_key: z
        .string()
        .max(ROUTING_KEY_BYTES_MAX)
        .optional()
        .meta({
          description: `Of \`direct\` the key, of \`topic\` the pattern, of \`x-consistent-hash\` the weight, 1 to ${WEIGHT_MAX}.`,
          default: '',
        }),
      arguments: z.record(z.string(), z.unknown()).optional().meta({
        description:
          'Of `headers`: the values that headers must have, and `x-match`: `all` or `any` of them. Names that begin with `x-` are compared with no header.',
        default: {},
      }),
    })
    .meta({ id: 'BindingRequest' }),
);

export const binding = lazy(() =>
  z
    .object({
      name: z
        .string()
        .describe('Names it among those of its exchange: what stands in the path to remove it.'),
      source: z.string(),
      destination_type: destinationType(['stream', 'exchange']),
      destination: z.string(),
      routing_key: z.string(),
      arguments: z.record(z.string(), z.unknown()),
      properties_key: z
        .string()
        .describe('Tells it from others of the same destination, by its key and arguments.'),
    })
    .meta({ id: 'Binding' }),
);

export const bindingList = lazy(() => listOf(binding()));
