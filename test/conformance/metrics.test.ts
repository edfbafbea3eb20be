/** `/metrics`: after so many requests of each kind the counters say exactly that. */
import { describe, expect } from 'vitest';
import { StoreError } from '../../lib/ports/store-error.ts';
import type { Api } from '../support/api.ts';
import { inProcess } from '../support/api-test.ts';
import { openEvents } from '../support/event-reader.ts';
import { parseExposition } from '../support/exposition.ts';
import { createApiOn, createFaultyApi } from '../support/faulty-api.ts';
import { listen } from '../support/listen.ts';
import { settle } from '../support/manual-clock.ts';
import { metricValue, metricValues, ofFamily } from '../support/metric-values.ts';
import { createStream, publish, STREAM, texts } from '../support/publish-steps.ts';
import { exchange, openSocket, requestText } from '../support/raw-exchange.ts';

const test = inProcess('a look behind the API');

const MESSAGES = '/v1/streams/{stream}/messages';

/** The messages of one publish by the short way, or with a header that it does not know. */
async function post(port: number, body: string, extra: readonly string[] = []): Promise<number> {
  const headers = [`content-length: ${body.length}`, ...extra];
  const text = requestText(`POST ${STREAM}/messages`, headers, body);
  return (await exchange(port, text)).status;
}

test('A8: is the text of Prometheus, and open to anyone', async ({ api }) => {
  await createStream(api);
  const answer = await api.call('GET /metrics?any=1');

  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const names = [...parseExposition(answer.text).keys()];
  expect(names).toEqual([...names].sort());
  expect(names.length).toBeGreaterThan(15);
});

test('every label is of a bounded set: no name of a stream, no path of a client', async ({
  api,
}) => {
  await createStream(api);
  await publish(api, texts('a'), { publisher: 'some-publisher', publishing_id: 1 });
  await api.call(`GET ${STREAM}/publishers/some-publisher`);
  await api.call('GET /v1/streams/some-stream');
  await api.call('GET /some/path');
  await api.call('PROPFIND /v1/streams');
  await api.call('SOMEMETHOD /v1/streams');
  const values = await metricValues(api);
  const labels = [...values.keys()].flatMap((sample) => /\{(.*)\}/.exec(sample)?.[1] ?? []);

  expect(labels.filter((text) => /some|PROPFIND/i.test(text))).toEqual([]);
  expect(ofFamily(values, 'varve_http_requests_total')).toMatchObject({
    'route="/v1/streams",method="other",status="405"': 2,
    'route="none",method="GET",status="404"': 1,
    'route="/v1/streams/{stream}/publishers/{publisher}",method="GET",status="200"': 1,
  });
});

test('requests are counted on every way: short, long, in pieces, as a stream, and broken', async ({
  api,
}) => {
  await createStream(api);
  await using server = await listen(api);
  const get = async (line: string) => (await exchange(server.port, requestText(line))).status;
  expect([
    await post(server.port, 'abc'),
    await post(server.port, 'abc'),
    await post(server.port, 'abc', ['x-unheard-of: 1']),
    await post(server.port, 'abc', ['content-type: application/json']),
    await get(`GET ${STREAM}/messages?as=binary`),
    await get(`HEAD ${STREAM}/messages?as=binary`),
    await get(`GET ${STREAM}/messages?as=sse&limit=1`),
    await get(`GET ${STREAM}/messages?from=x`),
    await get(`OPTIONS ${STREAM}/messages`),
    (await exchange(server.port, 'no http\r\n\r\n')).status,
  ]).toEqual([200, 200, 200, 400, 200, 200, 200, 400, 204, 400]);
  const values = await metricValues(api);

  expect(ofFamily(values, 'varve_http_requests_total')).toEqual({
    'route="/v1/streams/{stream}",method="PUT",status="201"': 1,
    [`route="${MESSAGES}",method="POST",status="200"`]: 3,
    [`route="${MESSAGES}",method="POST",status="400"`]: 1,
    [`route="${MESSAGES}",method="GET",status="200"`]: 2,
    [`route="${MESSAGES}",method="HEAD",status="200"`]: 1,
    [`route="${MESSAGES}",method="GET",status="400"`]: 1,
    [`route="${MESSAGES}",method="OPTIONS",status="204"`]: 1,
    'route="none",method="other",status="400"': 1,
  });
  expect(ofFamily(values, 'varve_http_request_duration_seconds_count')).toEqual({
    'route="/v1/streams/{stream}"': 1,
    [`route="${MESSAGES}"`]: 9,
  });
  expect(ofFamily(values, 'varve_http_problems_total')).toEqual({
    'code="invalid_request"': 2,
    'code="invalid_offset"': 1,
  });
});

test('messages and bytes are counted as stored, as known already, and as refused', async ({
  api,
}) => {
  await createStream(api);
  const named = { publisher: 'p', publishing_id: 1, epoch: 2 };
  await publish(api, texts('abc', 'de'), named);
  await publish(api, texts('abc', 'de'), named);
  // The first two are known: of ten bytes three are stored.
  await publish(api, texts('abcd', 'efg', 'hij'), named);
  await publish(api, [{ text: 'x', key: 'key' }]);
  await publish(api, texts('a'), { ...named, epoch: 1 });
  await publish(api, texts('a'), { fencing_token: 'other' });
  await publish(api, texts('a'), { expected_offset: 0 });
  await publish(api, texts('a'), { expected_offset: 0 });
  await api.call('POST /v1/streams/missing/messages', { body: 'a' });
  const values = await metricValues(api);

  expect(ofFamily(values, 'varve_published_messages_total')).toEqual({ '': 4 });
  expect(ofFamily(values, 'varve_published_bytes_total')).toEqual({ '': 5 + 3 + 4 });
  expect(ofFamily(values, 'varve_duplicate_messages_total')).toEqual({ '': 4 });
  expect(ofFamily(values, 'varve_refused_appends_total')).toEqual({
    'code="publisher_fenced"': 1,
    'code="fenced"': 1,
    'code="offset_mismatch"': 2,
    'code="stream_not_found"': 1,
  });
  expect(ofFamily(values, 'varve_commit_appends_count')).toEqual({ '': 9 });
  expect(ofFamily(values, 'varve_commit_bytes_sum')).toEqual({ '': 5 + 5 + 10 + 4 + 5 });
});

test('P7: nothing of a commit that failed is counted as stored', async () => {
  const { api, store } = createFaultyApi();
  await createStream(api);
  const fault = new StoreError('away', { kind: 'unavailable', sideEffects: 'possible' });
  store.failNext('after', fault);
  await publish(api, texts('a'));
  await publish(api, texts('b'));
  const values = await metricValues(api);

  expect(ofFamily(values, 'varve_failed_commits_total')).toEqual({ '': 1 });
  expect(ofFamily(values, 'varve_published_messages_total')).toEqual({ '': 1 });
  expect(ofFamily(values, 'varve_commit_duration_seconds_count')).toEqual({ '': 2 });
  expect(ofFamily(values, 'varve_http_problems_total')).toEqual({ 'code="unavailable"': 1 });
});

test('publishes that come together are one commit, and its time is taken', async () => {
  const { api, store } = createFaultyApi();
  await createStream(api);
  const release = store.holdNext('commit');
  const all = [publish(api, texts('a'))];
  await settle();
  all.push(publish(api, texts('b')), publish(api, texts('c')));
  await settle();
  await api.clock.advance(30);
  release();
  await Promise.all(all);
  const values = await metricValues(api);

  expect(ofFamily(values, 'varve_commit_appends_count')).toEqual({ '': 2 });
  expect(ofFamily(values, 'varve_commit_appends_sum')).toEqual({ '': 3 });
  expect(ofFamily(values, 'varve_commit_duration_seconds_sum')).toEqual({ '': 0.03 });
  expect(values.get('varve_commit_duration_seconds_bucket{le="0.02"}')).toBe(1);
  expect(values.get('varve_commit_duration_seconds_bucket{le="0.05"}')).toBe(2);
});

test('a request takes until the head of its answer, whatever its way', async () => {
  const { api, store } = createFaultyApi();
  await createStream(api);
  await using server = await listen(api);
  for (const extra of [[], ['x-unheard-of: 1']]) {
    const release = store.holdNext('commit');
    const before = store.calls('commit');
    const answer = post(server.port, 'a', extra);
    while (store.calls('commit') === before) await settle();
    await api.clock.advance(40);
    release();
    await answer;
  }
  const values = await metricValues(api);
  const name = 'varve_http_request_duration_seconds';

  expect(values.get(`${name}_sum{route="${MESSAGES}"}`)).toBe(0.08);
  expect(values.get(`${name}_bucket{route="${MESSAGES}",le="0.02"}`)).toBe(0);
  expect(values.get(`${name}_bucket{route="${MESSAGES}",le="0.05"}`)).toBe(2);
});

test('messages read are counted by their format, those of HEAD not at all', async ({ api }) => {
  await createStream(api);
  await publish(api, texts('abc', 'de'));
  await publish(api, texts('f'));
  const formats = ['json', 'ndjson', 'text', 'binary', 'cloudevents'];
  for (const format of formats) await api.call(`GET ${STREAM}/messages?as=${format}`);
  await api.call(`POST ${STREAM}/read`, { body: { from: 1, limit: 1 } });
  await api.call(`HEAD ${STREAM}/messages`);
  await api.call(`GET ${STREAM}/messages?as=sse&limit=3`);
  await api.call(`GET ${STREAM}/messages?as=ndjson&follow=true&limit=2`);
  await api.call(`GET ${STREAM}/messages?as=text&follow=true&limit=1`);
  const values = await metricValues(api);

  expect(ofFamily(values, 'varve_read_messages_total')).toEqual({
    'format="json"': 4,
    'format="ndjson"': 5,
    'format="text"': 4,
    'format="binary"': 3,
    'format="cloudevents"': 3,
    'format="sse"': 3,
  });
  expect(ofFamily(values, 'varve_read_bytes_total')).toEqual({
    'format="json"': 6 + 2,
    'format="ndjson"': 6 + 5,
    'format="text"': 6 + 3,
    'format="binary"': 6,
    'format="cloudevents"': 6,
    'format="sse"': 6,
  });
});

describe('what goes up and down', () => {
  test('LR5: readers that wait, until they are answered or go away', async ({ api }) => {
    await createStream(api);
    const gone = new AbortController();
    const waits = [{}, { signal: gone.signal }].map((options) =>
      api.call(`GET ${STREAM}/messages?wait=20`, options),
    );
    await settle();
    expect(await metricValue(api, 'varve_waiting_readers')).toBe(2);
    gone.abort();
    await settle();
    expect(await metricValue(api, 'varve_waiting_readers')).toBe(1);
    await publish(api, texts('a'));
    await Promise.allSettled(waits);

    expect(await metricValue(api, 'varve_waiting_readers')).toBe(0);
  });

  test('a read that finds something has not waited', async () => {
    const seen: (number | undefined)[] = [];
    const api: Api = createApiOn((log) => ({
      ...log,
      readChunks: async (range) => {
        seen.push(await metricValue(api, 'varve_waiting_readers'));
        return log.readChunks(range);
      },
    }));
    await createStream(api);
    await publish(api, texts('a'));
    await api.call(`GET ${STREAM}/messages?wait=20`);

    expect(seen).toEqual([0]);
  });

  test('LR5: followers, until they go away', async ({ api }) => {
    await createStream(api);
    const readers = [await openEvents(api), await openEvents(api)];
    for (const reader of readers) await reader.next();
    expect(await metricValue(api, 'varve_followers')).toBe(2);
    await readers[0]?.cancel();
    await settle();
    expect(await metricValue(api, 'varve_followers')).toBe(1);
    await readers[1]?.cancel();
    await settle();

    expect(await metricValue(api, 'varve_followers')).toBe(0);
  });

  test('requests and the bytes of large bodies, until they are answered', async () => {
    const { api, store } = createFaultyApi();
    await createStream(api);
    await using server = await listen(api);
    const release = store.holdNext('commit');
    const body = 'x'.repeat(100_000);
    const answers = [post(server.port, body)];
    while (store.calls('commit') === 0) await settle();
    answers.push(post(server.port, 'short'));
    const inFlight = () => metricValue(api, 'varve_http_requests_in_flight');
    // With the one that asks.
    await expect.poll(inFlight).toBe(3);
    expect(await metricValue(api, 'varve_http_held_body_bytes')).toBe(100_000);
    expect(await metricValue(api, 'varve_http_connections')).toBe(2);
    release();
    await Promise.all(answers);

    expect(await inFlight()).toBe(1);
    expect(await metricValue(api, 'varve_http_held_body_bytes')).toBe(0);
    await expect.poll(() => metricValue(api, 'varve_http_connections')).toBe(0);
  });

  test('a small body that breaks off leaves nothing behind', async ({ api }) => {
    await createStream(api);
    await using server = await listen(api);
    const text = requestText(`POST ${STREAM}/messages`, ['content-length: 9'], 'half');
    const socket = await openSocket(server.port);
    socket.write(text);
    await expect.poll(() => metricValue(api, 'varve_http_connections')).toBe(1);
    socket.destroy();
    await expect.poll(() => metricValue(api, 'varve_http_connections')).toBe(0);

    expect(await metricValue(api, 'varve_http_requests_in_flight')).toBe(1);
  });
});
