/** Routing many messages, beside everybody else. */
import { expect } from 'vitest';
import { inProcess } from '../support/api-test.ts';
import { numbered, told } from '../support/publish-steps.ts';
import { fanout, send } from '../support/routing-steps.ts';

const test = inProcess('its hand on the clock');

test('X2: others are served while messages are routed, each 10 ms', async ({ api }) => {
  await fanout(api, 'q');
  let [elapsedMs, turns] = [0, 0];
  // Each look at the clock is 4 ms behind the one before, so every third message ends a turn.
  Object.assign(api.components.clock, { elapsedMs: () => (elapsedMs += 4) });
  Object.assign(api.http.turns.pages, {
    take: async () => {
      turns++;
    },
  });
  const answer = told(await send(api, 'e', { messages: numbered(30) }));
  expect(answer).toMatchObject({ routed: true, destinations: [{ stored: 30 }] });
  expect(turns).toBe(10);
});
