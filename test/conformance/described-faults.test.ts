/** What any operation can answer, whatever it is about, is described with each of them. */
import { describe, expect } from 'vitest';
import { ROUTES } from '../../lib/http/app.ts';
import { StoreError, type StoreErrorKind } from '../../lib/ports/store-error.ts';
import { inProcess } from '../support/api-test.ts';
import { describeAnswer, namedPath, operationAt } from '../support/described-answer.ts';
import { createApiOn, createBrokenApi, storeFor } from '../support/faulty-api.ts';
import { listen } from '../support/listen.ts';
import { createStream } from '../support/publish-steps.ts';
import { exchange, requestText } from '../support/raw-exchange.ts';

const test = inProcess('faults in the store');

const BODIES = [
  ['/trim', { before: 3 }],
  ['/fencing-token', { fencing_token: 'a' }],
  ['/ack', { through: 0 }],
  [':consumer', { next: 0 }],
  [':stream', {}],
  [':exchange', { type: 'topic' }],
  ['/bindings', { destination_type: 'stream', destination: 's' }],
  ['/:exchange/messages', { messages: [{ text: 'a' }] }],
] as const;

const FAULTS = [
  ['a store that is away', 'unavailable', 503],
  ['a store that is slow', 'timeout', 503],
  ['damaged data', 'corrupt', 500],
] as const;

/** With names in the path, and with a body that the operation takes. */
const LINES = ROUTES.map(({ method, path }) => ({
  line: `${method} ${namedPath(path)}`,
  body: BODIES.find(([end]) => path.endsWith(end) && method !== 'GET')?.[1],
}));

describe.each(LINES)('$line', ({ line, body }) => {
  const call = async (target = line, headers = {}) => {
    const api = createApiOn((log) => log);
    const answer = await api.call(target, { headers, ...(body && { body }) });
    return [answer.status, ...describeAnswer(target, answer).faults];
  };

  test('refuses a foreign origin as described', async () => {
    expect(await call(line, { origin: 'http://evil.example' })).toEqual([403]);
  });

  test('refuses a URL that is too long as described', async () => {
    expect(await call(`${line}?${'x'.repeat(20_000)}`)).toEqual([414]);
  });

  test('refuses another method as described', async () => {
    expect(await call(line.replace(/^\w+/, 'PROPFIND'))).toEqual([405]);
  });

  test('refuses a path step as described', async () => {
    const api = createApiOn((log) => log);
    await createStream(api);
    await api.call('PUT /v1/exchanges/e', { body: { type: 'topic' } });
    await using server = await listen(api);
    const answer = await exchange(server.port, requestText(line.replace(' /', ' /./')));
    const problem = JSON.parse(answer.body);

    expect([answer.status, problem.code]).toEqual([400, 'invalid_name']);
    expect(codesOf(line, '400')).toContain('invalid_name');
  });
});

async function callOn(kind: StoreErrorKind, { line, body }: (typeof LINES)[number]) {
  const answer = await brokenApi(kind, line).call(line, body && { body });
  return [answer.status, ...describeAnswer(line, answer).faults];
}

const asksStore = ({ line }: (typeof LINES)[number]) => codesOf(line, '503').length > 0;

describe.each(LINES.filter(asksStore))('$line', (asked) => {
  test.each(FAULTS)('tells of %s as described', async (_, kind, status) => {
    expect(await callOn(kind, asked)).toEqual([status]);
  });
});

test.each(LINES.filter((asked) => !asksStore(asked)))(
  '$line never asks the store',
  async (asked) => {
    expect(await callOn('unavailable', asked)).toEqual([200]);
  },
);

function codesOf(line: string, status: string): unknown[] {
  const response = operationAt(line).operation.responses[status];
  if (response === undefined || '$ref' in response) return [];
  const code = response.content?.['application/problem+json']?.schema.properties?.['code'];
  return typeof code === 'object' ? (code.enum ?? []) : [];
}

function brokenApi(kind: StoreErrorKind, line: string) {
  const error = new StoreError('inside', { kind, sideEffects: 'none' });
  const api = createBrokenApi(error, ['commit', 'tail'], storeFor(line));
  const fail = () => Promise.reject(error);
  Object.assign(api.components.catalog, { load: fail, list: fail });
  Object.assign(api.components.exchanges, { load: fail, list: fail, routes: fail });
  Object.assign(api.components.timers, { load: fail, list: fail, cancel: fail });
  return api;
}
