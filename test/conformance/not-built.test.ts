/** Members, parameters and settings of rules that are not built: refused by name, never ignored. */
import { describe, expect } from 'vitest';
import { test } from '../support/api-test.ts';
import {
  createStream,
  nextOffset,
  numbered,
  publish,
  STREAM,
  told,
} from '../support/publish-steps.ts';

const refused = (field: string) => ({
  status: 400,
  code: 'setting_not_supported',
  field,
  retryable: false,
  side_effects: 'none',
});

describe('nothing is stored', () => {
  test.for(['delay_ms', 'deliver_at'])(
    'P10: with the member %s of a message',
    async (member, { api }) => {
      await createStream(api);
      const late = { text: 'b', [member]: 1 };

      expect(told(await publish(api, [{ text: 'a' }, late]))).toMatchObject(
        refused(`messages[1].${member}`),
      );
      const lines = `{"text":"a"}\n${JSON.stringify(late)}\n`;
      const headers = { 'content-type': 'application/vnd.varve.messages+ndjson' };
      expect(
        told(await api.call(`POST ${STREAM}/messages`, { body: lines, headers })),
      ).toMatchObject(refused(`line 2.${member}`));
      expect(await nextOffset(api)).toBe(0);
    },
  );

  test.for(['delay_ms', 'deliver_at'])(
    'P10: with the parameter or option %s',
    async (name, { api }) => {
      await createStream(api);

      expect(
        told(await api.call(`POST ${STREAM}/messages?${name}=5`, { body: 'a' })),
      ).toMatchObject(refused(name));
      expect(told(await publish(api, numbered(1), { [name]: 5 }))).toMatchObject(refused(name));
      expect(await nextOffset(api)).toBe(0);
    },
  );
});

test.for([
  `PUT ${STREAM}/groups/g`,
  'PUT /v1/queues/q',
  'PUT /v1/super-streams/x',
  'PUT /v1/policies/p',
  'GET /v1/delayed',
  'GET /v1/definitions',
])('a path that is not built is no route: %s', async (line, { api }) => {
  await createStream(api);

  expect(told(await api.call(line))).toMatchObject({ status: 404, code: 'not_found' });
});
