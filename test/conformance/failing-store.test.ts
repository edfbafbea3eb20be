/** A store that fails: what a publisher and a reader are told, and what is in the log afterwards. */
import { describe, expect } from 'vitest';
import { StoreError, type StoreErrorKind } from '../../lib/ports/store-error.ts';
import { createApi } from '../support/api.ts';
import { inProcess } from '../support/api-test.ts';
import { createBrokenApi, createFaultyApi } from '../support/faulty-api.ts';
import {
  createStream,
  numbered,
  publish,
  readTexts,
  STREAM,
  told,
} from '../support/publish-steps.ts';

const test = inProcess('faults in the store');

const INSIDE = 'SQLITE_FULL at file:///var/lib/varve/log.db: statement 7';

const failure = (kind: StoreErrorKind, sideEffects: 'none' | 'possible') =>
  new StoreError(INSIDE, { kind, sideEffects, cause: new Error(INSIDE) });

const CASES = [
  { kind: 'unavailable', sideEffects: 'none', code: 'unavailable' },
  { kind: 'unavailable', sideEffects: 'possible', code: 'unavailable' },
  { kind: 'timeout', sideEffects: 'none', code: 'store_timeout' },
  { kind: 'timeout', sideEffects: 'possible', code: 'store_timeout' },
] as const;

describe('a publish', () => {
  test.each(CASES)('P7: says what the store says: $kind $sideEffects', async (expected) => {
    const { api, store } = createFaultyApi();
    await createStream(api);
    await publish(api, numbered(1));
    store.failNext('before', failure(expected.kind, expected.sideEffects));
    const answer = await publish(api, numbered(1));

    expect(told(answer)).toMatchObject({
      status: 503,
      code: expected.code,
      retryable: true,
      side_effects: expected.sideEffects,
    });
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(answer.text).not.toMatch(/SQLITE|file:|statement/);
    expect(await readTexts(api)).toEqual(['0']);
    expect(told(await publish(api, numbered(1)))).toMatchObject({ start: 1 });
  });

  test('P7: whose commit took effect unheard never says that it had none', async () => {
    const { api, store } = createFaultyApi();
    await createStream(api);
    store.failNext('after', failure('timeout', 'possible'));
    const named = { publisher: 'p', publishing_id: 1 };

    expect(told(await publish(api, numbered(2), named))).toMatchObject({
      status: 503,
      code: 'store_timeout',
      side_effects: 'possible',
    });
    expect(told(await publish(api, numbered(2), named))).toMatchObject({
      status: 200,
      stored: 0,
      duplicates: 2,
      start: 0,
      end: 2,
    });
    expect(await readTexts(api)).toEqual(['0', '1']);
  });

  test('P7: that fails by a fault of the program may have been stored', async () => {
    const api = createBrokenApi(new TypeError(INSIDE), ['commit']);
    await createStream(api);
    const answer = await publish(api, numbered(1));

    expect(told(answer)).toMatchObject({
      status: 500,
      code: 'internal',
      retryable: false,
      side_effects: 'possible',
    });
    expect(answer.text).not.toMatch(/SQLITE|TypeError|file:|\.ts/);
  });

  test('P7: that fails is told to the operator, with all of its causes', async () => {
    const { api, store } = createFaultyApi();
    await createStream(api);
    const error = failure('unavailable', 'none');
    store.failNext('before', error);
    const headers = { 'x-request-id': 'request-7' };
    await api.call(`POST ${STREAM}/messages`, { body: 'a', headers });

    expect(api.errors).toEqual([
      {
        event: 'request_failed',
        request_id: 'request-7',
        method: 'POST',
        code: 'unavailable',
        side_effects: 'none',
        error,
      },
    ]);
  });

  test('P7 P12: that fails and was to create its stream creates none', async () => {
    const { api, store } = createFaultyApi();
    store.failNext('before', failure('unavailable', 'none'));

    expect((await api.call(`POST ${STREAM}/messages?create=true`, { body: 'a' })).status).toBe(503);
    expect((await api.call('GET /v1/streams')).json()).toEqual({ items: [], has_more: false });
  });

  test('P1 P7: of those that were committed together each one learns of the failure', async () => {
    const api = createBrokenApi(failure('unavailable', 'none'), ['commit']);
    await createStream(api);
    const answers = await Promise.all(Array.from({ length: 20 }, () => publish(api, numbered(1))));

    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 503));
    expect(await readTexts(api)).toEqual([]);
  });
});

describe('a read', () => {
  const damaged = new StoreError('chunk at 0: checksum differs', {
    kind: 'corrupt',
    sideEffects: 'none',
  });

  test.each([
    { error: damaged, status: 500, code: 'corrupt_data' },
    { error: failure('unavailable', 'none'), status: 503, code: 'unavailable' },
    { error: failure('timeout', 'none'), status: 503, code: 'store_timeout' },
    { error: new Error(INSIDE), status: 500, code: 'internal' },
  ])('P7: that fails changed nothing: $code', async ({ error, status, code }) => {
    const api = createBrokenApi(error, ['readChunks']);
    await createStream(api);
    await publish(api, numbered(1));
    const answer = await api.call(`GET ${STREAM}/messages`);

    expect(told(answer)).toMatchObject({ status, code, side_effects: 'none' });
    expect(answer.text).not.toMatch(/SQLITE|file:|statement/);
  });

  test('whose bytes fail their check is told which', async () => {
    const api = createBrokenApi(damaged, ['readChunks']);
    await createStream(api);
    await publish(api, numbered(1));

    expect(told(await api.call(`GET ${STREAM}/messages`))).toMatchObject({
      code: 'corrupt_data',
      detail: 'chunk at 0: checksum differs',
      retryable: false,
    });
  });
});

test('a service whose store has ended is alive, but not ready', async () => {
  const api = createApi({ store: 'embedded' });
  expect((await api.call('GET /health/ready')).json()).toEqual({ status: 'ready' });
  await api.close();

  expect((await api.call('GET /health/ready')).status).toBe(503);
  expect((await api.call('GET /health/live')).json()).toEqual({ status: 'live' });
});
