/** What the description says of exchanges and their bindings (SPEC X1-X11). */
import { publishExchangeQuerySchema } from '../body/publish-options.ts';
import { listQuerySchema } from '../list-query.ts';
import {
  entityOf,
  jsonAnswerOf,
  jsonBody,
  OF_BODY,
  OF_EXCHANGE,
  OF_STORE,
  type Operation,
} from '../openapi/operation.ts';
import {
  binding,
  bindingList,
  bindingRequest,
  exchange,
  exchangeDeclaration,
  exchangeList,
} from '../schemas/exchange.ts';
import { exchangeAnswer } from '../schemas/exchange-answer.ts';
import { publishOperation } from './publish.ts';
import { deleteQuerySchema } from './streams.ts';

export const listExchangesOperation: Operation = {
  id: 'listExchanges',
  tag: 'Exchanges',
  summary: 'List exchanges',
  description: 'A page at a time. The one without a name is not among them.',
  query: listQuerySchema,
  ...entityOf('A page of the list.', exchangeList),
  errors: OF_STORE,
  example: { query: 'limit=10' },
};

/** What may be asked of an exchange that it cannot have. */
const OF_DECLARATION = ['invalid_setting', 'setting_not_supported', 'settings_mismatch'] as const;

export const declareExchangeOperation: Operation = {
  id: 'declareExchange',
  tag: 'Exchanges',
  summary: 'Declare an exchange',
  description:
    'Creates the exchange, or confirms that it exists so; otherwise it is 409 `settings_mismatch` and tells the first difference.',
  body: { required: true, content: jsonBody(exchangeDeclaration, { type: 'topic' }) },
  answers: {
    200: jsonAnswerOf('It exists so.', exchange),
    201: jsonAnswerOf('It was created.', exchange),
  },
  errors: [...OF_STORE, ...OF_BODY, 'forbidden', ...OF_DECLARATION],
  example: { body: '{"type":"topic"}' },
};

export const showExchangeOperation: Operation = {
  id: 'getExchange',
  tag: 'Exchanges',
  summary: 'Describe an exchange',
  description: 'As it was declared.',
  ...entityOf('The exchange.', exchange),
  errors: OF_EXCHANGE,
  example: {},
};

export const deleteExchangeOperation: Operation = {
  id: 'deleteExchange',
  tag: 'Exchanges',
  summary: 'Delete an exchange',
  description: 'Gone at once, with all bindings from and to it.',
  query: deleteQuerySchema,
  answers: { 204: { description: 'There is no such exchange now.' } },
  errors: [...OF_EXCHANGE, 'forbidden'],
  example: { query: 'if_exists=true' },
};

export const listBindingsOperation: Operation = {
  id: 'listBindings',
  tag: 'Exchanges',
  summary: 'List the bindings of an exchange',
  description: 'Those that lead from it.',
  query: listQuerySchema,
  ...entityOf('A page of the list.', bindingList),
  errors: [...OF_EXCHANGE, 'forbidden'],
  example: {},
};

export const bindOperation: Operation = {
  id: 'bind',
  tag: 'Exchanges',
  summary: 'Bind to an exchange',
  description:
    'Every publish that begins after the answer is routed by it. A destination may be bound several times, by other keys or arguments; the same binding twice is one.',
  body: {
    required: true,
    content: jsonBody(bindingRequest, {
      destination_type: 'stream',
      destination: 'orders',
      routing_key: 'eu.*',
    }),
  },
  answers: {
    200: jsonAnswerOf('It is bound so already.', binding),
    201: jsonAnswerOf('It is bound.', binding),
  },
  errors: [...OF_EXCHANGE, ...OF_BODY, 'forbidden', 'stream_not_found', 'setting_not_supported'],
  example: { body: '{"destination_type":"stream","destination":"orders","routing_key":"eu.*"}' },
};

export const unbindOperation: Operation = {
  id: 'unbind',
  tag: 'Exchanges',
  summary: 'Remove a binding',
  description: 'Removing one that is not there changes nothing. The path ends with its `name`.',
  answers: { 204: { description: 'There is no such binding now.' } },
  errors: [...OF_EXCHANGE, 'forbidden'],
  example: {},
};

export const publishExchangeOperation: Operation = {
  id: 'publishToExchange',
  tag: 'Exchanges',
  summary: 'Publish through an exchange',
  description:
    'Every message goes to each stream that it is routed to, once, by its `routing_key` and what its headers `CC` and `BCC` name; readers are not shown `BCC`. To each of them it is one atomic publish of its own, so one that fails does not stop the others: `destinations` tells what became of each, and `repeat` what sending it again does. Messages without a destination are counted, and dropped. More than 100 destinations of a message are 409, and nothing is stored. An exchange that is `delayed` holds messages with `delay_ms`, `deliver_at` or a header `x-delay` (ms), and routes them when they are due, by its bindings of that moment.',
  query: publishExchangeQuerySchema,
  ...(publishOperation.body && { body: publishOperation.body }),
  answers: { 200: jsonAnswerOf('What became of it.', exchangeAnswer) },
  errors: [
    ...OF_EXCHANGE,
    ...OF_BODY,
    'setting_not_supported',
    'internal_exchange',
    'too_many_destinations',
    'message_too_large',
    'too_many_messages',
    'too_many_delayed',
  ],
  example: {
    contentType: 'application/json',
    body: '{"messages":[{"json":{"magnitude":5.1},"routing_key":"eu.quake"}]}',
  },
};
