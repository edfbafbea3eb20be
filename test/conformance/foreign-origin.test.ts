/** Without authentication: web pages on other sites do not reach the log. */
import { describe, expect } from 'vitest';
import { inProcess } from '../support/api-test.ts';
import { createStream, nextOffset, STREAM, told } from '../support/publish-steps.ts';

const test = inProcess('a front that vouches for nobody');

const FOREIGN = [
  { host: 'evil.example' },
  { host: 'evil.example:4600' },
  { host: '127.0.0.1.evil.example' },
  { host: 'localhost.evil.example:80' },
  { host: 'evillocalhost' },
  { host: '127.0.0.2' },
  { host: '[::2]:4600' },
  { host: 'localhost:evil' },
  { host: '' },
  { host: '127.0.0.1:4600', origin: 'https://evil.example' },
  { host: 'localhost:4600', origin: 'http://localhost.evil.example:4600' },
  { host: 'localhost:4600', origin: 'http://127.0.0.1:4600' },
  { host: 'localhost:4600', origin: 'http://localhost:8080' },
  { host: 'localhost:4600', origin: 'https://localhost:4600' },
  { host: 'localhost:4600', origin: 'null' },
  { host: 'evil.example', origin: 'http://evil.example' },
];
const OWN = [
  { host: 'localhost' },
  { host: 'LOCALHOST:4600' },
  { host: '127.0.0.1' },
  { host: '127.0.0.1:1' },
  { host: '[::1]' },
  { host: '[::1]:65535' },
  { host: 'localhost:4600', origin: 'http://localhost:4600' },
  { host: '127.0.0.1', origin: 'http://127.0.0.1' },
  { host: '[::1]:4600', origin: 'http://[::1]:4600' },
];

const shown = (headers: { host: string; origin?: string }) => ({
  headers,
  title: `Host "${headers.host}"${headers.origin ? ` Origin ${headers.origin}` : ''}`,
});

describe('a foreign host or origin', () => {
  test.for(FOREIGN.map(shown))(
    'A6: is refused, and changes nothing: $title',
    async ({ headers }, { api }) => {
      await createStream(api);
      const lines = [
        `POST ${STREAM}/messages`,
        `GET ${STREAM}/messages`,
        `DELETE ${STREAM}`,
        `PUT ${STREAM}/messages`,
        `OPTIONS ${STREAM}`,
        'GET /nothing',
        'GET /health/live',
      ];
      for (const line of lines) {
        const body = line.startsWith('POST') ? { body: 'a' } : {};
        expect(told(await api.call(line, { ...body, headers }))).toMatchObject({
          status: 403,
          code: 'foreign_origin',
          side_effects: 'none',
        });
      }
      expect(await nextOffset(api)).toBe(0);
    },
  );

  test('A6: is told before the stream is looked for', async ({ api }) => {
    const headers = { host: 'evil.example' };
    const answers = [`GET ${STREAM}`, 'GET /v1/streams/other'].map((line) =>
      api.call(line, { headers }),
    );

    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([403, 403]);
  });
});

test.for(OWN.map(shown))('A6: the own host is served: $title', async ({ headers }, { api }) => {
  await createStream(api);
  const answer = await api.call(`POST ${STREAM}/messages`, { body: 'a', headers });

  expect(answer.status).toBe(200);
});

describe('with --insecure', () => {
  test.override({ apiOptions: { insecure: true } });

  test.for(FOREIGN.map(shown))(
    'A6: any host and origin is served: $title',
    async ({ headers }, { api }) => {
      await createStream(api);

      expect((await api.call(`GET ${STREAM}`, { headers })).status).toBe(200);
    },
  );
});
