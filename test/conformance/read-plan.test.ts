/** Reading past the service: which objects a plan names, and what stores without objects say (SPEC LR7). */
import { expect, onTestFinished } from 'vitest';
import { createApi } from '../support/api.ts';
import { inProcess } from '../support/api-test.ts';
import { createStream, numbered, publish, STREAM, told } from '../support/publish-steps.ts';

const test = inProcess('options of its own');

const PLAN = `POST ${STREAM}/read-plan`;

/** A stream of five objects with two messages each. */
async function openStream() {
  const api = createApi({ store: 'aws' });
  onTestFinished(() => api.close());
  await createStream(api);
  for (let n = 0; n < 5; n++) await publish(api, numbered(2));
  return api;
}

test('LR7: names consecutive objects from a position on, with a URL for each', async () => {
  const api = await openStream();
  const plan = (await api.call(PLAN, { body: { from: 3 } })).json();

  expect(plan).toMatchObject({ next: 10, first: 0, tail: 10, resolved: { from: '3', offset: 3 } });
  expect(plan['objects']).toEqual(
    [2, 4, 6, 8].map((start) => ({
      kind: 'chunks',
      start,
      end: start + 2,
      timestamp_below: start === 2 ? expect.any(Number) : api.clock.nowMs(),
      url: expect.stringMatching(/^https:\/\/.*c%2F[0-9A-Z]{26}/),
    })),
  );
  expect(plan['expires_at']).toBe(api.clock.nowMs() + 900_000);
});

test('LR7: ends when there are enough bytes, and goes on at its next', async () => {
  const api = await openStream();
  const first = (await api.call(PLAN, { body: { max_bytes: 1 } })).json();
  expect(first).toMatchObject({ next: 2, objects: [{ start: 0, end: 2 }] });

  const rest = (await api.call(PLAN, { body: { from: first['next'] } })).json();
  expect(rest).toMatchObject({ next: 10, objects: [{ start: 2 }, {}, {}, { end: 10 }] });
  expect((await api.call(PLAN, { body: { from: 10 } })).json()).toMatchObject({
    next: 10,
    objects: [],
  });
});

test('LR7 O16: tells of what was dropped as a read does', async () => {
  const api = await openStream();
  await api.call(`POST ${STREAM}/trim`, { body: { before: 5 } });

  expect((await api.call(PLAN, { body: { from: 1 } })).json()).toMatchObject({
    gap: { requested: 1, first_available: 5, missing: 4 },
    objects: [{ start: 4, end: 6 }, {}, {}],
  });
});

test('LR7: a store whose objects cannot be reached says so', async () => {
  const api = createApi({ store: 'embedded' });
  onTestFinished(() => api.close());
  await createStream(api);

  expect(told(await api.call(PLAN))).toMatchObject({ status: 404, code: 'not_supported' });
});
