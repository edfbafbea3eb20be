/** Names of streams and publishers: which there can be, and how they travel in paths. */
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import type { Api } from '../support/api.ts';
import { test } from '../support/api-test.ts';
import { told } from '../support/publish-steps.ts';

const pathOf = (name: string) => `/v1/streams/${encodeURIComponent(name)}`;

async function listedNames(api: Api): Promise<readonly unknown[]> {
  const page: { items?: readonly { name: string }[] } = (await api.call('GET /v1/streams')).json();
  return page.items?.map(({ name }) => name) ?? [];
}

const ALLOWED = [
  'a'.repeat(255),
  `${'é'.repeat(127)}a`,
  'amqx',
  'my.amq.x',
  '日本/🜁',
  'a b',
  'a/b',
  'a%2Fb',
  'a+b',
  'ä',
  '🜁',
  'a?b#c',
  '...',
  '.a',
  'a.',
  'a/..',
  'a/messages',
  'a\\b',
  '%',
  '%25',
  ':stream',
  '__proto__',
];

describe('a name that is allowed', () => {
  test.for(ALLOWED)(
    'P9: is that of a stream, from creation to deletion: %s',
    async (name, { api }) => {
      const path = pathOf(name);
      expect((await api.call(`PUT ${path}`)).json()).toMatchObject({ name });
      await api.call(`POST ${path}/messages`, { body: 'a' });

      expect(await listedNames(api)).toEqual([name]);
      expect((await api.call(`GET ${path}`)).json()).toMatchObject({ name, next: 1 });
      expect((await api.call(`GET ${path}/messages`)).json()).toMatchObject({
        messages: [{ offset: 0, text: 'a' }],
      });
      expect((await api.call(`DELETE ${path}`)).status).toBe(204);
      expect(await listedNames(api)).toEqual([]);
    },
  );

  test.for(ALLOWED)('P9: is that of a publisher: %s', async (name, { api }) => {
    await api.call('PUT /v1/streams/s');
    const body = { messages: [{ text: 'a' }], publisher: name, publishing_id: 7 };
    await api.call('POST /v1/streams/s/messages', { body });
    const path = `/v1/streams/s/publishers/${encodeURIComponent(name)}`;

    expect((await api.call(`GET ${path}`)).json()).toEqual({
      name,
      publisher: name,
      publishing_id: 7,
    });
  });

  test('P9: never stands for another one', async ({ api }) => {
    for (const name of ALLOWED) await api.call(`PUT ${pathOf(name)}`);
    for (const [index, name] of ALLOWED.entries()) {
      await api.call(`POST ${pathOf(name)}/messages`, { body: `body ${index}` });
    }

    expect([...(await listedNames(api))].sort()).toEqual([...ALLOWED].sort());
    for (const [index, name] of ALLOWED.entries()) {
      expect((await api.call(`GET ${pathOf(name)}/messages`)).json()).toMatchObject({
        messages: [{ offset: 0, text: `body ${index}` }],
      });
    }
  });

  test('P9: whatever it holds, comes through an encoded path unchanged', async ({ api }) => {
    const name = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
      .filter((text) => !(/\p{Cc}/u.test(text) || /^(?:\.\.?$|amq\.|varve\.)/.test(text)));
    await fc.assert(
      fc.asyncProperty(name, async (text) => {
        const answer = await api.call(`PUT ${pathOf(text)}`);
        expect(answer.json()['name']).toBe(text);
      }),
    );
  });
});

const FORBIDDEN = [
  ['256 bytes', 'a'.repeat(256)],
  ['256 bytes in 128 characters', 'é'.repeat(128)],
  ['a reserved prefix', 'amq.x'],
  ['our own prefix', 'varve.x'],
  ['U+0007', 'a\u0007'],
  ['a line feed', 'a\nb'],
  ['NUL', '\u0000'],
  ['DEL', 'a\u007f'],
] as const;

describe('a name that is not allowed', () => {
  test.for(FORBIDDEN)('P9: makes no stream: %s', async ([, name], { api }) => {
    const refused = {
      status: 400,
      code: 'invalid_name',
      field: 'stream',
      side_effects: 'none',
    };
    const path = pathOf(name);

    expect(told(await api.call(`PUT ${path}`))).toMatchObject(refused);
    const publish = await api.call(`POST ${path}/messages?create=true`, { body: 'a' });
    expect(told(publish)).toMatchObject(refused);
    for (const line of [`GET ${path}`, `DELETE ${path}`, `GET ${path}/messages`]) {
      expect(told(await api.call(line))).toMatchObject(refused);
    }
    expect(await listedNames(api)).toEqual([]);
  });

  test.for([...FORBIDDEN, ['nothing', ''], ['a dot', '.'], ['two dots', '..']] as const)(
    'P9: is not that of a publisher: %s',
    async ([, publisher], { api }) => {
      await api.call('PUT /v1/streams/s');
      const body = { messages: [{ text: 'a' }], publisher, publishing_id: 7 };

      expect(told(await api.call('POST /v1/streams/s/messages', { body }))).toMatchObject({
        status: 400,
        code: 'invalid_name',
        field: 'publisher',
      });
      expect((await api.call('GET /v1/streams/s')).json()).toMatchObject({ next: 0 });
    },
  );

  test.for(['/v1/streams/', '/v1/streams//messages', '/v1/streams//publishers'])(
    'P9: is empty: %s',
    async (path, { api }) => {
      for (const method of ['PUT', 'GET', 'DELETE', 'POST']) {
        expect(told(await api.call(`${method} ${path}`))).toMatchObject({
          status: 400,
          code: 'invalid_name',
        });
      }
      expect(await listedNames(api)).toEqual([]);
    },
  );

  test.for(['%FF', '%ZZ', 'a%', 'a%2', '%C3', '%ED%A0%80'])(
    'P9: is no UTF-8 and never becomes a name: %s',
    async (text, { api }) => {
      for (const line of [
        `PUT /v1/streams/${text}`,
        `POST /v1/streams/${text}/messages?create=true`,
      ]) {
        expect(told(await api.call(line))).toMatchObject({ status: 400, code: 'invalid_request' });
      }
      expect(await listedNames(api)).toEqual([]);
    },
  );

  test.for([
    'PUT /v1/streams/%2E',
    'PUT /v1/streams/%2E%2E',
    'PUT /v1/streams/%2e%2E',
    'POST /v1/streams/%2E%2E/messages?create=true',
    'DELETE /v1/streams/%2E%2E',
    'DELETE /v1/streams/s/publishers/%2E%2E',
    'POST /v1/streams/%2E/purge',
  ])('P9: is a path step, which touches nothing else: %s', async (line, { api }) => {
    await api.call('PUT /v1/streams/s');
    await api.call('POST /v1/streams/s/messages', { body: 'a' });
    // The URL of a request has its dots resolved by whoever parses it first.
    expect([400, 404, 405]).toContain((await api.call(line, { body: '' })).status);

    expect(await listedNames(api)).toEqual(['s']);
    expect((await api.call('GET /v1/streams/s')).json()).toMatchObject({ first: 0, next: 1 });
  });
});
