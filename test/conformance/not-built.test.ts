/** Paths of parts that are not built: no route, so that nobody takes one for the other. */
import { expect } from 'vitest';
import { test } from '../support/api-test.ts';
import { createStream, STREAM, told } from '../support/publish-steps.ts';

test.for([
  `PUT ${STREAM}/groups/g`,
  'PUT /v1/queues/q',
  'PUT /v1/super-streams/x',
  'PUT /v1/policies/p',
  'GET /v1/definitions',
])('a path that is not built is no route: %s', async (line, { api }) => {
  await createStream(api);

  expect(told(await api.call(line))).toMatchObject({ status: 404, code: 'not_found' });
});
