/** `follow=true`: lines of what is there, then of each message as it comes. */
import { describe, expect } from 'vitest';
import type { Api } from '../support/api.ts';
import { inProcess, test } from '../support/api-test.ts';
import { createLineReader, type LineReader } from '../support/line-reader.ts';
import { settle } from '../support/manual-clock.ts';
import { createStream, publish, STREAM, texts, told } from '../support/publish-steps.ts';
import { type Query, queryText, range, read, trim } from '../support/read-steps.ts';

const localTest = inProcess('its hand on the clock');
const pulledTest = inProcess('nothing between it and the API');

async function follow(api: Api, query: Query) {
  const response = await api.open(
    `GET ${STREAM}/messages?${queryText({ follow: 'true', ...query })}`,
  );
  if (response.status !== 200) throw new Error(`no lines: ${await response.text()}`);
  return { ...createLineReader(response), headers: response.headers };
}

async function linesOf(reader: LineReader, count: number): Promise<readonly unknown[]> {
  const lines: unknown[] = [];
  while (lines.length < count) lines.push(await reader.line());
  return lines;
}

test('LR3: text gives the bodies, each as a line at once', async ({ api }) => {
  await createStream(api);
  await publish(api, texts('a', 'b'));
  const lines = await follow(api, { as: 'text' });
  expect(await linesOf(lines, 2)).toEqual(['a', 'b']);
  for (const text of ['c', 'd']) {
    const next = lines.line();
    await publish(api, texts(text));
    expect(await next).toBe(text);
  }
});

test('LR3: ndjson gives message objects', async ({ api }) => {
  await createStream(api);
  await publish(api, texts('a'));
  const lines = await follow(api, { as: 'ndjson', from: 'first' });
  const first = await lines.line();
  const next = lines.line();
  await publish(api, [{ text: 'b\nc' }]);

  expect([first, await next].map((line) => JSON.parse(line ?? ''))).toEqual([
    { offset: 0, timestamp: api.timeNow(), text: 'a' },
    {
      offset: 1,
      timestamp: api.timeNow(),
      base64: btoa('b\nc'),
      content_type: 'text/plain; charset=utf-8',
    },
  ]);
});

test('LR3: says the facts of its beginning in headers', async ({ api }) => {
  await createStream(api);
  await publish(api, texts('a', 'b'));
  const { headers } = await follow(api, { as: 'text', from: 1 });

  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('varve-next')).toBe('2');
  expect(JSON.parse(headers.get('varve-resolved') ?? '')).toMatchObject({ offset: 1 });
});

localTest('LR3: silence is silence: a ping is no line', async ({ api }) => {
  await createStream(api);
  const lines = await follow(api, { as: 'text' });
  const next = lines.line();
  await settle();
  for (const _minute of range(0, 4)) await api.clock.advance(15_000);
  await publish(api, texts('a'));

  expect(await next).toBe('a');
});

describe('it ends', () => {
  localTest.for<[string, Query, readonly string[]]>([
    ['at a limit', { limit: 2 }, ['a', 'b']],
    ['at a limit of bytes', { max_bytes: 3 }, ['a', 'b', 'c']],
    ['before a time that has come', { until: 1_795_946_400_001 }, ['a', 'b', 'c', 'd']],
  ])('LR3 LR4: %s', async ([, query, given], { api }) => {
    await createStream(api);
    await publish(api, texts('a', 'b', 'c', 'd'));
    await api.clock.advance(1);
    const lines = await follow(api, { as: 'text', ...query });

    expect(await linesOf(lines, given.length + 1)).toEqual([...given, undefined]);
  });

  pulledTest('LR3 T11: before a gap that its reader is to be told of', async ({ api }) => {
    await createStream(api);
    await publish(api, texts('a', 'b'));
    const lines = await follow(api, { as: 'text' });
    await linesOf(lines, 2);
    await publish(api, texts('c', 'd'));
    await trim(api, 3);

    expect(await lines.line()).toBeUndefined();
    expect((await follow(api, { as: 'text', from: 2 })).headers.get('varve-gap')).toBe(
      '{"requested":2,"first_available":3,"missing":1}',
    );
  });

  test('LR3 O5: but not at the one that its headers tell of', async ({ api }) => {
    await createStream(api);
    await publish(api, texts('a', 'b', 'c'));
    await trim(api, 2);
    const lines = await follow(api, { as: 'text', from: 0 });

    expect(lines.headers.get('varve-gap')).toBe('{"requested":0,"first_available":2,"missing":2}');
    expect(await lines.line()).toBe('c');
  });
});

describe('follow is refused', () => {
  test.for(['as=json', 'as=binary', ''])('for %j, which has no lines', async (format, { api }) => {
    await createStream(api);
    const answer = await api.call(`GET ${STREAM}/messages?follow=true&${format}`);

    expect(told(answer)).toMatchObject({ status: 400, code: 'invalid_request', field: 'follow' });
  });

  test('O5: below first with on_gap=error', async ({ api }) => {
    await createStream(api);
    await publish(api, texts('a', 'b'));
    await trim(api, 1);
    const answer = await read(api, { follow: 'true', as: 'text', from: 0, on_gap: 'error' });

    expect(told(answer)).toMatchObject({ status: 410, code: 'offset_trimmed' });
  });
});

test('LR3: follow=false is a page, and an event stream follows anyway', async ({ api }) => {
  await createStream(api);
  await publish(api, texts('a'));

  expect((await read(api, { follow: 'false', as: 'text' })).text).toBe('a\n');
  const events = await read(api, { follow: 'true', as: 'sse', limit: 1 });
  expect(events.headers.get('content-type')).toBe('text/event-stream');
});
