/** `/v1/openapi.json` and `/v1/docs`: kept by clients, asked for again, and safe to open. */
import { createHash } from 'node:crypto';
import { describe, expect } from 'vitest';
import type { ApiDocument } from '../../lib/http/openapi/api-document.ts';
import { steadyHeaders } from '../support/api.ts';
import { inProcess, test } from '../support/api-test.ts';
import { document } from '../support/described-answer.ts';

const localTest = inProcess('a server of its own');

const PATHS = ['/v1/openapi.json', '/v1/docs'] as const;

describe.each(PATHS)('%s', (path) => {
  test('is asked for again only when it has changed', async ({ api }) => {
    const first = await api.call(`GET ${path}`);
    const etag = first.headers.get('etag') ?? '';
    const ask = (tags: string) => api.call(`GET ${path}`, { headers: { 'if-none-match': tags } });

    expect(first.status).toBe(200);
    expect(etag).toMatch(/^"[!#-~]+"$/);
    expect(first.headers.get('cache-control')).toBe('no-cache');
    for (const tags of [etag, `W/${etag}`, `"a", ${etag}`, '*']) {
      const again = await ask(tags);

      expect([tags, again.status, again.text]).toEqual([tags, 304, '']);
      expect(again.headers.get('etag')).toBe(etag);
      expect(again.headers.get('content-type')).toBeNull();
    }
    for (const tags of ['', '"a"', etag.slice(1, -1)]) {
      expect([tags, (await ask(tags)).status]).toEqual([tags, 200]);
    }
  });

  test('is the same for HEAD, without a body', async ({ api }) => {
    const headers = { 'x-request-id': 'a' };
    const get = await api.call(`GET ${path}`, { headers });
    const head = await api.call(`HEAD ${path}`, { headers });

    expect([head.status, head.text]).toEqual([200, '']);
    expect(steadyHeaders(head)).toEqual(steadyHeaders(get));
  });
});

test('the document is the one of these routes', async ({ api }) => {
  const answer = await api.call('GET /v1/openapi.json');

  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(answer.json()).toEqual(document);
});

describe('the page', () => {
  test('runs and loads nothing, and its only style is allowed by its hash', async ({ api }) => {
    const { headers, text } = await api.call('GET /v1/docs');
    const style = /<style>(.*?)<\/style>/s.exec(text)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');

    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(text).not.toMatch(/<(?:script|link|img|iframe|object|embed|base|form|meta http)\b/i);
    expect(text).not.toMatch(/\s(?:on\w+|style|src)=|javascript:|@import|url\(/i);
    expect(text.match(/<style>/g)).toHaveLength(1);
  });

  test('has an anchor for every operation and schema, and no link that leads nowhere', async ({
    api,
  }) => {
    const { text } = await api.call('GET /v1/docs');
    const ids = [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, to = '']) => to);
    const described: ApiDocument = document;
    const operations = Object.values(described.paths).flatMap((methods) => Object.values(methods));

    expect(ids).toEqual([...new Set(ids)]);
    expect(ids).toEqual(
      expect.arrayContaining([
        ...operations.map(({ operationId }) => operationId),
        ...Object.keys(described.components.schemas).map((name) => `schema-${name}`),
      ]),
    );
    expect(links.filter((to) => !ids.includes(to.slice(1)))).toEqual(['openapi.json']);
  });

  localTest('shows how to call the service where it was reached', async ({ api }) => {
    const response = await api.open('GET /v1/docs');

    expect(await response.text()).toContain(
      'curl &#39;http://127.0.0.1:4600/v1/streams/orders/messages?create=true&#39;',
    );
  });
});
