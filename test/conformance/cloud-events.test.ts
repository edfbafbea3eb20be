/** CloudEvents in every mode, with the library that others use on the other side. */
import { CloudEvent } from 'cloudevents';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { createApi } from '../support/api.ts';
import { inProcess, test } from '../support/api-test.ts';
import {
  anyEvent,
  BATCH_TYPE,
  type EventMembers,
  MODES,
  publishEvents,
  readEvents,
} from '../support/cloud-events.ts';
import { createStream, readMessages } from '../support/publish-steps.ts';

const localTest = inProcess('its hand on the clock');
const bulkTest = inProcess('thousands of requests');

const TIME = '2026-11-29T10:00:00.000Z';
const own = { id: '1', source: '/s', type: 't', time: TIME };

/** As members, which the library's own classes hide from a comparison. */
const membersOf = (event: CloudEvent<unknown>): EventMembers => ({ ...event });

const EVENTS: readonly (readonly [string, CloudEvent<unknown>])[] = [
  ['JSON', new CloudEvent({ ...own, datacontenttype: 'application/json', data: { a: [1, 'ä'] } })],
  ['text', new CloudEvent({ ...own, datacontenttype: 'text/plain', data: 'a "b"\r\n' })],
  ['XML', new CloudEvent({ ...own, datacontenttype: 'application/xml', data: '<a b="c"/>' })],
  ['bytes', new CloudEvent({ ...own, datacontenttype: 'image/png', data: Uint8Array.of(0, 255) })],
  ['no data', new CloudEvent({ ...own, datacontenttype: 'application/json' })],
  [
    'every attribute',
    new CloudEvent({
      ...own,
      datacontenttype: 'application/json; charset=utf-8',
      data: [],
      dataschema: 'https://example.com/s',
      subject: '100% "ä" \u{1f600}',
      partitionkey: 'a b',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      sequence: '5',
    }),
  ],
];

test.for(EVENTS)(
  'CE1 CE3 CE4 CE5: all modes store the same message, which reads as the event: %s',
  async ([, event], { api }) => {
    await createStream(api);
    for (const mode of MODES) {
      const [answer] = await publishEvents(api, mode, [event]);
      expect(answer?.status).toBe(200);
    }
    const [first, ...others] = await readMessages(api);

    const timestamp = api.timeNow();
    expect(others).toEqual([1, 2].map((offset) => ({ ...first, offset, timestamp })));
    const sent = membersOf(event);
    expect(await readEvents(api)).toEqual([sent, sent, sent]);
  },
);

test('CE3: attributes are headers beside content type and key', async ({ api }) => {
  await createStream(api);
  const extensions = { flag: false, count: -5, note: 'ä', partitionkey: 'k' };
  const data = { datacontenttype: 'application/vnd.x+json', data: [1] };
  await publishEvents(api, 'batch', [new CloudEvent({ ...own, ...data, ...extensions })]);

  expect(await readMessages(api)).toEqual([
    {
      offset: 0,
      timestamp: api.timeNow(),
      json: [1],
      content_type: 'application/vnd.x+json',
      key: 'k',
      headers: {
        'ce-count': -5,
        'ce-flag': false,
        'ce-id': '1',
        'ce-note': 'ä',
        'ce-source': '/s',
        'ce-specversion': '1.0',
        'ce-time': TIME,
        'ce-type': 't',
      },
    },
  ]);
});

describe.for(MODES)('%s', (mode) => {
  bulkTest('CE4: any events come back as they were sent', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyEvent(mode !== 'binary'), { minLength: 1, maxLength: 5 }),
        async (events) => {
          const api = createApi();
          await createStream(api);
          const answers = await publishEvents(api, mode, events);

          expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
          expect(await readEvents(api)).toEqual(events.map(membersOf));
          await api.close();
        },
      ),
      { numRuns: 60 },
    );
  });
});

localTest('CE6: other messages read as events that the library takes', async ({ api }) => {
  await createStream(api);
  const messages = [
    { json: { a: 1 }, key: 'k', headers: { 'x-geo-lat': 61.2 } },
    { text: 'ä', properties: { priority: 1 } },
    { base64: 'AP8=', headers: { 'ce-id': '1' } },
  ];
  await api.call('POST /v1/streams/s/messages', { body: { messages } });
  const streamId = (await api.call('GET /v1/streams/s')).json()['stream_id'];
  const common = (offset: number) => ({
    id: `${streamId}/${offset}`,
    source: '/v1/streams/s',
    type: 'varve.message',
    specversion: '1.0',
    time: TIME,
  });

  expect(await readEvents(api)).toEqual(
    [
      {
        ...common(0),
        datacontenttype: 'application/json',
        data: { a: 1 },
        partitionkey: 'k',
        varvemessage: '{"headers":{"x-geo-lat":61.2}}',
      },
      {
        ...common(1),
        datacontenttype: 'text/plain; charset=utf-8',
        data: 'ä',
        varvemessage: '{"properties":{"priority":1}}',
      },
      {
        ...common(2),
        datacontenttype: 'application/octet-stream',
        data: Uint8Array.of(0, 255),
        data_base64: 'AP8=',
        varvemessage: '{"headers":{"ce-id":"1"}}',
      },
    ].map((members) => membersOf(new CloudEvent<unknown>(members))),
  );
});

test('CE4: what was read as events can be published as events', async ({ api }) => {
  await createStream(api);
  await publishEvents(
    api,
    'structured',
    EVENTS.map(([, event]) => event),
  );
  await api.call('POST /v1/streams/s/messages', { body: 'plain' });
  const { text } = await api.call(`GET /v1/streams/s/messages?as=cloudevents`);
  const headers = { 'content-type': BATCH_TYPE };
  await api.call('POST /v1/streams/copy/messages?create=true', { body: text, headers });

  expect((await api.call(`GET /v1/streams/copy/messages?as=cloudevents`)).text).toBe(text);
});
