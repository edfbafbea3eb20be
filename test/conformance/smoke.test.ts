import { afterEach, expect, test } from 'vitest';
import { createApi, START_MS } from '../support/api.ts';

const api = createApi();
afterEach(() => api.close());

test('P1 P3: what was published is answered with its place', async () => {
  const answer = await api.call('POST /v1/streams/s/messages?create=true', {
    body: { messages: [{ text: 'a' }, { text: 'b' }, { json: 1 }] },
  });

  expect(answer.json()).toMatchObject({
    start: 0,
    end: 3,
    tail: 3,
    stored: 3,
    timestamp: START_MS,
  });
});
