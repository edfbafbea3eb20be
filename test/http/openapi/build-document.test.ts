/** The description of the API as a whole: complete, consistent, and changed on purpose alone. */
import { expect, test } from 'vitest';
import { ROUTES } from '../../../lib/http/app.ts';
import { buildDocument } from '../../../lib/http/openapi/build-document.ts';
import { examplePath } from '../../../lib/http/openapi/curl-sample.ts';
import { ERROR_CODES, type ErrorCode } from '../../../lib/wire/error-codes.ts';
import { holdExample } from '../../support/delayed-steps.ts';
import { describeAnswer } from '../../support/described-answer.ts';
import { createApiOn, storeFor } from '../../support/faulty-api.ts';

const document = buildDocument(ROUTES);
const text = JSON.stringify(document, undefined, 2);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

test('is the one that is committed', async () => {
  const told =
    'the description of the API has changed: if that is meant, update it with `npx vitest run test/http/openapi -u` and look at the difference';

  await expect(`${text}\n`, told).toMatchFileSnapshot('../../golden/openapi.json');
});

test('has every route, and nothing else', () => {
  const routes = ROUTES.map(({ method, path }) => {
    return `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`;
  });

  expect(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort()).toEqual(
    routes.sort(),
  );
});

test('names each operation once', () => {
  const ids = operations.map(({ operation }) => operation.operationId);

  expect([...new Set(ids)]).toEqual(ids);
});

test.each(operations)('describes $operation.operationId and each of its parameters', (one) => {
  const { summary, description, tags, parameters } = one.operation;
  const inPath = [...one.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const references = parameters.map((parameter) => ('$ref' in parameter ? parameter.$ref : ''));

  expect([summary, description]).toEqual([
    expect.stringMatching(/^[A-Z].*[^.]$/),
    expect.stringMatching(/\.$/),
  ]);
  expect(document.tags.map(({ name }) => name)).toContain(tags[0]);
  for (const name of inPath) expect(references).toContain(`#/components/parameters/${name}`);
  expect(
    parameters.filter((parameter) => !('$ref' in parameter) && parameter.description === ''),
  ).toEqual([]);
});

test('leads nowhere by no reference, and keeps no component that nothing refers to', () => {
  const references = new Set([...text.matchAll(/"#\/components\/([^"]+)"/g)].map(([, to]) => to));
  const components = Object.entries(document.components).flatMap(([kind, named]) =>
    Object.keys(named).map((name) => `${kind}/${name}`),
  );

  expect([...references].sort()).toEqual(components.sort());
});

test('tells every code under the status that it has', () => {
  const told = [
    ...text.matchAll(/"status": \{\s+"const": (\d+)\s+\},\s+"code": \{\s+"enum": (\[[^\]]*\])/g),
  ];
  const pairs = told.flatMap(([, status, codes = '[]']) => {
    const parsed: readonly ErrorCode[] = JSON.parse(codes);
    return parsed.map((code) => [Number(status), code] as const);
  });
  // A request that does not arrive in time is told by the code of a malformed one.
  const wrong = pairs.filter(
    ([status, code]) => status !== 408 && ERROR_CODES[code].status !== status,
  );

  expect(pairs.length).toBeGreaterThan(100);
  expect(wrong).toEqual([]);
});

test.each(ROUTES)('has an example that succeeds: $operation.id', async (route) => {
  const api = createApiOn((log) => log, storeFor(route.path));
  const messages = '/v1/streams/orders/messages?create=true&publisher=press-1&publishing_id=1';
  await api.call(`POST ${messages}`, { body: 'a message' });
  await api.call('PUT /v1/streams/orders/consumers/audit', { body: { next: 0 } });
  await api.call('PUT /v1/exchanges/quakes', { body: { type: 'topic' } });
  await holdExample(api, 'orders');
  const { query, contentType, body } = route.operation.example;
  const line = `${route.method} ${examplePath(route.path)}${query === undefined ? '' : `?${query}`}`;
  const headers = contentType === undefined ? {} : { 'content-type': contentType };
  const answer = await api.call(line, { headers, ...(body !== undefined && { body }) });

  expect([answer.status, answer.text]).toEqual([
    expect.toSatisfy((status) => status < 300),
    answer.text,
  ]);
  expect(describeAnswer(line, answer).faults).toEqual([]);
});
