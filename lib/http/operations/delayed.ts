/** What the description says of messages that are held (SPEC L10). */
import { entityOf, OF_STORE, type Operation } from '../openapi/operation.ts';
import { heldList, heldMessage, heldQuerySchema } from '../schemas/delayed.ts';
import { deleteQuerySchema } from './streams.ts';

export const listHeldOperation: Operation = {
  id: 'listDelayed',
  tag: 'Delayed',
  summary: 'List delayed messages',
  description:
    'Those that are held until their time, in the order in which they will be delivered, a page at a time.',
  query: heldQuerySchema,
  ...entityOf('A page of the list.', heldList),
  errors: OF_STORE,
  example: { query: 'limit=10' },
};

export const showHeldOperation: Operation = {
  id: 'getDelayed',
  tag: 'Delayed',
  summary: 'Describe a delayed message',
  description: 'With the message as it will be stored.',
  ...entityOf('The message.', heldMessage),
  errors: [...OF_STORE, 'delayed_not_found'],
  example: {},
};

export const cancelHeldOperation: Operation = {
  id: 'cancelDelayed',
  tag: 'Delayed',
  summary: 'Cancel a delayed message',
  description:
    'It is never delivered. 404 when it was released meanwhile, or is being released. Its publishing id and the value that it is deduplicated by stay known.',
  query: deleteQuerySchema,
  answers: { 204: { description: 'It is held no longer.' } },
  errors: [...OF_STORE, 'delayed_not_found'],
  example: { query: 'if_exists=true' },
};
