import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { liveAnswer } from '../../../lib/http/render/live-body.ts';
import { createAllTurns } from '../../../lib/http/turns.ts';

async function* nothing(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  yield new Uint8Array();
}

test('LR5: a body that nobody takes holds no listener', async () => {
  const { signal: closing } = new AbortController();
  const body = { headers: {}, closing, turns: createAllTurns(), start: nothing };
  liveAnswer(body);
  expect(getEventListeners(closing, 'abort')).toEqual([]);

  await liveAnswer(body).arrayBuffer();
  await liveAnswer(body).body?.cancel();
  expect(getEventListeners(closing, 'abort')).toEqual([]);
});
