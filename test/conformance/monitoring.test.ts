/** `/v1/whoami` and `/v1/overview`: who is asking, and how much there is. */
import { expect } from 'vitest';
import { START_MS } from '../support/api.ts';
import { inProcess, test } from '../support/api-test.ts';
import { idOf, streamName } from '../support/batches.ts';
import { listen } from '../support/listen.ts';
import { createStream } from '../support/publish-steps.ts';
import { openSocket } from '../support/raw-exchange.ts';

const localTest = inProcess('a look behind the API');

test('A8: without tokens anyone is asking, and may do everything', async ({ api }) => {
  const answer = await api.call('GET /v1/whoami');

  expect(answer.json()).toEqual({
    principal: 'anyone',
    permissions: ['configure', 'write', 'read', 'monitoring'],
  });
});

localTest(
  'A8: the overview tells what the service was wired to, and how much there is',
  async ({ api }) => {
    await createStream(api);
    await api.clock.advance(5);

    expect((await api.call('GET /v1/overview')).json()).toEqual({
      version: '1.2.3',
      started_at: START_MS,
      store: api.http.about.store,
      streams: { count: 1, has_more: false },
      connections: 0,
    });
  },
);

localTest.for([
  [999, 999, false],
  [1_000, 1_000, false],
  [1_001, 1_000, true],
] as const)(
  'A8: the overview counts a page and no further: %d streams',
  async ([streams, count, has_more], { api }) => {
    for (let index = 0; index < streams; index++) {
      const name = streamName(`s${index}`);
      const entry = { name, streamId: idOf(index), settings: {}, createdMs: 0 };
      await api.components.catalog.create(entry);
    }

    expect((await api.call('GET /v1/overview')).json()['streams']).toEqual({ count, has_more });
  },
);

localTest('A8: the overview counts open connections', async ({ api }) => {
  await using server = await listen(api);
  const sockets = [await openSocket(server.port), await openSocket(server.port)];
  const connections = async () => (await api.call('GET /v1/overview')).json()['connections'];
  await expect.poll(connections).toBe(2);
  sockets[0]?.destroy();
  await expect.poll(connections).toBe(1);
  sockets[1]?.destroy();
});

test.for(['/v1/whoami', '/v1/overview'])('%s takes no parameters', async (path, { api }) => {
  expect((await api.call(`GET ${path}?a=1`)).json()).toMatchObject({
    code: 'invalid_request',
    field: 'a',
  });
});
