/** Event streams whose reader is overtaken: by a trim, a purge, or a message of another shape. */
import { describe, expect } from 'vitest';
import { inProcess, test } from '../support/api-test.ts';
import { openEvents } from '../support/event-reader.ts';
import { createStream, publish, STREAM } from '../support/publish-steps.ts';
import { publishEach, queryText, trim } from '../support/read-steps.ts';

// A socket takes events before they are asked for.
const pulledTest = inProcess('nothing between it and the API');

const GAP = { requested: 20, first_available: 50, missing: 30 };

describe('a reader at 20 whose stream is trimmed before 50', () => {
  pulledTest('O16 LR3 T11: gets a gap and goes on at 50', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 20);
    const events = await openEvents(api);
    await events.take(2);
    await publishEach(api, 40);
    await trim(api, 50);

    expect(await events.take(2)).toMatchObject([
      { id: '49,20,30', event: 'gap', data: GAP },
      { id: '59,30,50', event: 'batch', data: { messages: { 0: { offset: 50 } }, next: 60 } },
    ]);
  });

  test('LR3 T11: is not told of the gap again when it resumes behind it', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 60);
    await trim(api, 50);
    const events = await openEvents(api, {}, '49,20,30');

    expect(await events.take(2)).toMatchObject([
      { id: '59,30,50', event: 'batch', data: { messages: { 0: { offset: 50 } } } },
      { event: 'ping' },
    ]);
    expect(events.headers.get('varve-gap')).toBeNull();
  });

  pulledTest('LR3 T11: gets an error instead with on_gap=error', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 20);
    const events = await openEvents(api, { on_gap: 'error' });
    await events.take(2);
    await publishEach(api, 40);
    await trim(api, 50);

    expect(await events.rest()).toEqual([
      {
        id: '19,20,30',
        event: 'error',
        data: expect.objectContaining({ status: 410, code: 'offset_trimmed', first_available: 50 }),
      },
      { id: '19,20,30', data: '[DONE]' },
    ]);
  });

  pulledTest('LR3 T12: gets a gap at once when nothing is left behind it', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 20);
    const events = await openEvents(api);
    await events.take(2);
    await publishEach(api, 30);
    await api.call(`POST ${STREAM}/purge`);

    expect(await events.next()).toEqual({ id: '49,20,30', event: 'gap', data: GAP });
  });
});

test('LR3 T12: a purge of what the reader had is nothing to it', async ({ api }) => {
  await createStream(api);
  await publishEach(api, 10);
  const events = await openEvents(api);
  await events.take(2);
  const next = events.next();
  await api.call(`POST ${STREAM}/purge`);
  await publishEach(api, 1);

  expect(await next).toMatchObject({ event: 'batch', data: { messages: [{ offset: 10 }] } });
});

describe('a line end in a body', () => {
  const BODIES = [
    { json: { a: '\n' } },
    { text: 'a\r\nb' },
    { text: 'plain' },
    { text: '\ndata: [DONE]\n\n' },
  ];

  test('P10 LR3: cannot end an event: such a body comes as base64', async ({ api }) => {
    await createStream(api);
    await publish(api, BODIES);
    const events = await (await openEvents(api, { limit: 4 })).rest();

    expect(events).toMatchObject([
      {
        event: 'batch',
        data: {
          messages: [
            { json: { a: '\n' } },
            { base64: btoa('a\r\nb'), content_type: 'text/plain; charset=utf-8' },
            { text: 'plain' },
            { base64: btoa('\ndata: [DONE]\n\n'), content_type: 'text/plain; charset=utf-8' },
          ],
        },
      },
      { data: '[DONE]' },
    ]);
  });

  test('P10 LR3: every body comes as base64 when asked for', async ({ api }) => {
    await createStream(api);
    await publish(api, BODIES);
    const answer = await api.call(
      `GET ${STREAM}/messages?${queryText({ as: 'sse', limit: 4, body: 'base64' })}`,
    );

    expect(answer.text.match(/"base64":/g)).toHaveLength(4);
  });
});
