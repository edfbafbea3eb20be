/** Delayed messages published to a stream directly: held, released at their time, listed, cancelled. */
import { describe, expect } from 'vitest';
import { START_MS } from '../support/api.ts';
import { inProcess } from '../support/api-test.ts';
import { heldIn, listHeld, passMs } from '../support/delayed-steps.ts';
import {
  createStream,
  nextOffset,
  numbered,
  publish,
  readMessages,
  readTexts,
  STREAM,
  told,
} from '../support/publish-steps.ts';

const test = inProcess('its hand on the clock');

describe('accepted', () => {
  test('L2: for a time from now, or until a time', async ({ api }) => {
    await createStream(api);
    const answer = await publish(api, [
      { text: 'now' },
      { text: 'after', delay_ms: 1_000 },
      { text: 'at ms', deliver_at: START_MS + 3_000 },
      { text: 'at', deliver_at: '2026-11-29T10:00:02Z' },
    ]);

    expect(told(answer)).toMatchObject({ status: 200, start: 0, end: 1, stored: 1 });
    expect(heldIn(answer).map(({ index, due }) => [index, due - START_MS])).toEqual([
      [1, 1_000],
      [2, 3_000],
      [3, 2_000],
    ]);
    expect(await readTexts(api)).toEqual(['now']);
    await passMs(api, 999);
    expect(await readTexts(api)).toEqual(['now']);
    await passMs(api, 1);
    expect(await readTexts(api)).toEqual(['now', 'after']);
    await passMs(api, 5_000);
    expect(await readTexts(api)).toEqual(['now', 'after', 'at', 'at ms']);
  });

  test('L2 L3: alone, nothing is stored yet', async ({ api }) => {
    await createStream(api);
    const answer = await publish(api, [{ text: 'a', delay_ms: 5_000 }]);
    expect(told(answer)).toMatchObject({
      start: null,
      end: null,
      tail: 0,
      stored: 0,
      duplicates: 0,
      timestamp: null,
    });
    expect(heldIn(answer)).toHaveLength(1);
    expect(await nextOffset(api)).toBe(0);
  });

  test.for([
    { delay_ms: 0 },
    { delay_ms: -5 },
    { deliver_at: START_MS },
    { deliver_at: START_MS - 1 },
    { deliver_at: '2025-01-01T00:00:00Z' },
  ])('L3: at once: %j', async (member, { api }) => {
    await createStream(api);
    const answer = await publish(api, [{ text: 'a', ...member }]);
    expect(told(answer)).toMatchObject({ stored: 1, held: [] });
    expect(await readMessages(api)).toEqual([{ offset: 0, timestamp: START_MS, text: 'a' }]);
  });

  test.for([
    ['delay_ms', 1.5],
    ['delay_ms', '5000'],
    ['delay_ms', true],
    ['delay_ms', null],
    ['delay_ms', 315_360_000_001],
    ['deliver_at', 1_795_946_400],
    ['deliver_at', 'tomorrow'],
    ['deliver_at', null],
    ['deliver_at', '2037-12-31T00:00:00Z'],
  ] as const)('L3 L13: refused, and nothing is held: %s %j', async ([name, value], { api }) => {
    await createStream(api);
    const wrong = [{ text: 'a', delay_ms: 1 }, { text: 'b', [name]: value }, { text: 'c' }];
    const field = `messages[1].${name}`;
    expect(told(await publish(api, wrong))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      field,
      side_effects: 'none',
    });
    expect(await nextOffset(api)).toBe(0);
    expect(await listHeld(api)).toEqual([]);
  });

  test('L3: ten years are not too long', async ({ api }) => {
    await createStream(api);
    const late = [315_360_000_000, 5_184_000_000, 4_294_967_296, 4_294_967_295];
    const messages = late.map((ms) => ({ text: String(ms), delay_ms: ms }));
    expect(heldIn(await publish(api, messages)).map(({ due }) => due - START_MS)).toEqual(late);
    await passMs(api, 4_294_967_295);
    expect(await readTexts(api)).toEqual(['4294967295']);
    await passMs(api, 315_360_000_000);
    expect(await readTexts(api)).toEqual([...late].reverse().map(String));
  });

  test('L2: both members are one too many', async ({ api }) => {
    await createStream(api);
    const both = { text: 'a', delay_ms: 1_000, deliver_at: START_MS + 1_000 };
    expect(told(await publish(api, [both]))).toMatchObject({
      status: 400,
      code: 'invalid_request',
    });
    expect(await listHeld(api)).toEqual([]);
  });

  test('L2: the header means nothing to a stream', async ({ api }) => {
    await createStream(api);
    for (const value of [5_000, 'abc']) {
      await publish(api, [{ text: 'a', headers: { 'x-delay': value } }]);
    }
    const headers = (await readMessages(api)).map((message) => message['headers']);
    expect(headers).toEqual([{ 'x-delay': 5_000 }, { 'x-delay': 'abc' }]);
  });

  test('L3: no expected offset, since nobody knows it yet', async ({ api }) => {
    await createStream(api);
    const answer = await publish(api, [{ text: 'a', delay_ms: 5 }], { expected_offset: 0 });
    expect(told(answer)).toMatchObject({ status: 400, field: 'expected_offset' });
    expect(await listHeld(api)).toEqual([]);
    const atOnce = await publish(api, [{ text: 'a', delay_ms: 0 }], { expected_offset: 0 });
    expect(told(atOnce)).toMatchObject({ status: 200, stored: 1 });
  });

  test('L13: 99 of a request, and any number beside them', async ({ api }) => {
    await createStream(api);
    const late = numbered(99, 1_000).map((message) => ({ ...message, delay_ms: 1_000 }));
    const answer = await publish(api, [...late, ...numbered(400)]);
    expect(told(answer)).toMatchObject({ status: 200, stored: 400 });
    expect(heldIn(answer).map(({ index }) => index)).toEqual(late.keys().toArray());
    const tooMany = [...late, { text: 'x', delay_ms: 1 }, { text: 'y' }];
    expect(told(await publish(api, tooMany))).toMatchObject({
      status: 413,
      code: 'too_many_delayed',
      limit: 99,
      actual: 100,
    });
    expect(await nextOffset(api)).toBe(400);
    const enough = await publish(api, [...late, { text: 'x', delay_ms: 0 }]);
    expect(told(enough)).toMatchObject({ status: 200, stored: 1 });
  });

  test('L13: a wrong token or a bad message holds nothing', async ({ api }) => {
    await createStream(api);
    await api.call(`PUT ${STREAM}/fencing-token`, { body: { fencing_token: 'mine' } });
    const late = { text: 'a', delay_ms: 5 };
    const fenced = await publish(api, [late, { text: 'b' }], { fencing_token: 'other' });
    expect(told(fenced)).toMatchObject({ status: 412, code: 'fenced' });
    expect((await publish(api, [late, { text: 1 }])).status).toBe(400);
    expect(await listHeld(api)).toEqual([]);
    expect(await nextOffset(api)).toBe(0);
  });

  test('L2: of any form of body', async ({ api }) => {
    await createStream(api);
    const post = async (query: string, body: string, type: string) =>
      await api.call(`POST ${STREAM}/messages${query}`, {
        body,
        headers: { 'content-type': type },
      });
    const after = '?delay_ms=1000';
    const event = { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': '/a', 'ce-type': 't' };
    const answers = [
      await post(after, 'raw', 'text/plain'),
      await post(`?deliver_at=${START_MS + 1_000}`, 'raw at', 'text/plain'),
      await post('', '{"text":"line","delay_ms":1000}\n', 'application/vnd.varve.messages+ndjson'),
      await api.call(`POST ${STREAM}/messages${after}`, { body: 'event', headers: event }),
    ];
    for (const answer of answers) expect(heldIn(answer)).toMatchObject([{ due: START_MS + 1_000 }]);
    const body = '{"a":1}\n';
    const refused = await post(after, body, 'application/x-ndjson');
    expect(told(refused)).toMatchObject({ status: 400, field: 'delay_ms' });
    const both = await post(`${after}&deliver_at=2027-01-01T00:00:00Z`, 'x', 'text/plain');
    expect(told(both)).toMatchObject({ status: 400, field: 'delay_ms' });
    await passMs(api, 1_000);
    expect(await readTexts(api)).toEqual(['raw', 'raw at', 'line', 'event']);
  });

  test('P12: for a stream that comes to be by it', async ({ api }) => {
    const sent = await api.call(`POST ${STREAM}/messages?create=true&delay_ms=5`, { body: 'a' });
    expect(heldIn(sent)).toHaveLength(1);
    expect(await nextOffset(api)).toBe(0);
    await passMs(api, 5);
    expect(await readTexts(api)).toEqual(['a']);
  });
});

describe('released', () => {
  test('L7: with the time it came in, and the timestamp of its release', async ({ api }) => {
    await createStream(api);
    const properties = { message_id: 'm', timestamp: 7, ingested_at: 1 };
    const late = { text: 'a', key: 'k', headers: { a: 1.0 }, properties, delay_ms: 5_000 };
    await publish(api, [late, { json: [1.0], delay_ms: 5_000 }]);
    await passMs(api, 6_000);
    expect(await readMessages(api)).toEqual([
      {
        offset: 0,
        timestamp: START_MS + 6_000,
        text: 'a',
        key: 'k',
        headers: { a: 1 },
        properties: { ...properties, ingested_at: START_MS },
      },
      {
        offset: 1,
        timestamp: START_MS + 6_000,
        json: [1],
        properties: { ingested_at: START_MS },
      },
    ]);
  });

  test('L4: in the order in which they are due, those that came together as they came', async ({
    api,
  }) => {
    await createStream(api);
    for (const [text, delay_ms] of [
      ['500', 500],
      ['b', 100],
      ['300', 300],
      ['200', 200],
      ['e', 100],
      ['400', 400],
    ]) {
      await publish(api, [{ text, delay_ms }]);
    }
    await passMs(api, 1_000);
    expect(await readTexts(api)).toEqual(['b', 'e', '200', '300', '400', '500']);
  });

  test('L5: what was missed for minutes comes at once, each once', async ({ api }) => {
    await createStream(api);
    const late = numbered(20).map((message, at) => ({ ...message, delay_ms: 10_000 * at + 1 }));
    await publish(api, late);
    await api.clock.advance(7 * 60_000);
    await Promise.all([api.release(), api.release(), api.release()]);
    expect(await readTexts(api)).toEqual(numbered(20).map(({ text }) => text));
  });

  test('L5 P8: wakes readers that wait', async ({ api }) => {
    await createStream(api);
    await publish(api, [{ text: 'a', delay_ms: 1_000 }]);
    const waiting = api.call(`GET ${STREAM}/messages?from=next&wait=5`);
    await passMs(api, 1_000);
    expect(told(await waiting)).toMatchObject({ messages: [{ text: 'a' }] });
  });

  test('L3: a named publisher is heard when it is accepted', async ({ api }) => {
    await createStream(api);
    const late = { text: 'a', delay_ms: 1_000 };
    const named = { publisher: 'p', publishing_id: 7 };
    expect(heldIn(await publish(api, [late], named))).toHaveLength(1);
    const highest = async () => (await api.call(`GET ${STREAM}/publishers/p`)).json();
    expect(await highest()).toMatchObject({ publishing_id: 7 });
    const again = { status: 200, stored: 0, duplicates: 1, held: [] };
    expect(told(await publish(api, [late], named))).toMatchObject(again);
    await passMs(api, 1_000);
    expect(told(await publish(api, [late], named))).toMatchObject(again);
    await passMs(api, 5_000);
    expect(await readTexts(api)).toEqual(['a']);
    const publishers = (await api.call(`GET ${STREAM}/publishers`)).json();
    expect(publishers).toMatchObject({ items: [{ name: 'p' }], has_more: false });
  });

  test('L12: not without its stream: dropped and counted, the others go on', async ({ api }) => {
    await createStream(api);
    await api.call('PUT /v1/streams/t');
    const late = { text: 'a', delay_ms: 1_000 };
    await publish(api, [late, late]);
    await api.call('POST /v1/streams/t/messages', { body: { messages: [late] } });
    await api.call(`DELETE ${STREAM}`);
    await createStream(api);
    expect(await listHeld(api)).toMatchObject([{ stream: 't' }]);
    await passMs(api, 1_000);
    expect(await nextOffset(api)).toBe(0);
    expect(await readMessages(api, '/v1/streams/t')).toHaveLength(1);
    const { text } = await api.call('GET /metrics');
    expect(text).toContain('varve_dropped_total{reason="target_deleted"} 2\n');
    expect(text).toContain('varve_held_messages_total 3\n');
    expect(text).toContain('varve_released_messages_total 3\n');
  });
});
