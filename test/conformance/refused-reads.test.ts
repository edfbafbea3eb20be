/** Reads that are refused, each naming what is wrong: nothing is read, nothing taken for a near miss. */
import { describe, expect } from 'vitest';
import { test } from '../support/api-test.ts';
import {
  createStream,
  nextOffset,
  numbered,
  publish,
  STREAM,
  told,
} from '../support/publish-steps.ts';
import { read, resolve } from '../support/read-steps.ts';

const NO_POSITIONS = [
  ...['firs', 'First', '5.0', '1e3', '0x10', '--5', '+5', '5 ', ' 5', 'true', 'null', 'NaN', '٥'],
  ...['ts:', 'ts:abc', 'ts:-1', 'ts:2026-02-30T00:00:00Z', 'ts:2026-11-29', 'stored', ''],
  ...['9007199254740992', '9223372036854775808', '-9223372036854775809', '5'.repeat(100)],
];

describe('no position', () => {
  test.for(NO_POSITIONS)('O12: %j', async (from, { api }) => {
    await createStream(api);
    await publish(api, numbered(3));
    const refused = { status: 400, code: 'invalid_offset', field: 'from', side_effects: 'none' };

    expect(await resolve(api, { from })).toMatchObject(refused);
    expect(told(await read(api, { from }))).toMatchObject(refused);
    expect(told(await read(api, { from, as: 'sse' }))).toMatchObject(refused);
    expect(told(await api.call(`POST ${STREAM}/read`, { body: { from } }))).toMatchObject(refused);
    expect(await nextOffset(api)).toBe(3);
  });

  test.for([
    '5.5',
    '5.0',
    '1e3',
    'true',
    'null',
    '[]',
    '{}',
    '9007199254740992',
    '-9007199254740992',
  ])('O12: the JSON value %s', async (value, { api }) => {
    await createStream(api);
    const answer = await api.call(`POST ${STREAM}/read`, { body: `{"from": ${value}}` });

    expect(told(answer)).toMatchObject({ status: 400, code: 'invalid_offset', field: 'from' });
  });
});

test.for([
  [-0, 0],
  [3, 3],
  [-2, 3],
  ['-2', 3],
  ['next', 5],
] as const)('O4 O7: %j is a position in JSON', async ([from, start], { api }) => {
  await createStream(api);
  await publish(api, numbered(5));

  const answer = await api.call(`POST ${STREAM}/read`, { body: { from } });
  expect(answer.json()).toMatchObject({ resolved: { offset: start } });
});

describe('a parameter', () => {
  test.for([
    ['LR4', 'limit=0', 'limit'],
    ['LR4', 'limit=10001', 'limit'],
    ['LR4', 'limit=-1', 'limit'],
    ['LR4', 'limit=abc', 'limit'],
    ['LR4', 'limit=1e3', 'limit'],
    ['LR4', 'limit=', 'limit'],
    ['LR4', 'max_bytes=0', 'max_bytes'],
    ['LR4', 'max_bytes=-1', 'max_bytes'],
    ['LR4', 'max_bytes=4194305', 'max_bytes'],
    ['LR4', 'until=abc', 'until'],
    ['LR4', 'until=1700000000', 'until'],
    ['LR1', 'wait=21', 'wait'],
    ['LR1', 'wait=-1', 'wait'],
    ['LR1', 'wait=abc', 'wait'],
    ['LR1', 'wait=1.5', 'wait'],
    ['O5', 'on_gap=ignore', 'on_gap'],
    ['O6', 'on_future=wait', 'on_future'],
    ['O12', 'from=1&from=1', 'from'],
    ['O12', 'form=1', 'form'],
    ['O12', 'from=%FF', 'from'],
    ['LR3', 'follow=yes', 'follow'],
    ['format', 'as=xml', 'as'],
    ['format', 'body=hex', 'body'],
  ])('%s: %s is refused by name', async ([, query, field], { api }) => {
    await createStream(api);
    const refused = { status: 400, code: 'invalid_request', field };

    expect(told(await api.call(`GET ${STREAM}/messages?${query}`))).toMatchObject(refused);
    const events = await api.call(`GET ${STREAM}/messages?${query}`, {
      headers: { accept: 'text/event-stream' },
    });
    expect(told(events)).toMatchObject(refused);
  });

  test.for([
    ['LR4', { limit: 0 }],
    ['LR4', { limit: '10' }],
    ['LR4', { limit: 10_001 }],
    ['LR4', { max_bytes: 4_194_305 }],
    ['LR1', { wait: 21 }],
    ['LR1', { wait: -1 }],
    ['LR1', { wait: '1' }],
    ['LR3', { follow: 'true' }],
    ['format', { as: 'xml' }],
    ['O12', { form: 1 }],
  ] as const)('%s: %j is refused as a member by name', async ([, body], { api }) => {
    await createStream(api);

    expect(told(await api.call(`POST ${STREAM}/read`, { body }))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      field: Object.keys(body)[0],
    });
  });

  test('O12 P11: of a stream that is missing is not looked at', async ({ api }) => {
    for (const query of ['from=junk', 'limit=0', 'consumer=.', 'commit=1', 'as=xml', 'filter=,']) {
      expect(told(await api.call(`GET ${STREAM}/messages?${query}`))).toMatchObject({
        status: 404,
        code: 'stream_not_found',
      });
    }
  });

  test('that makes the URL longer than 16 KiB is refused with the limit', async ({ api }) => {
    await createStream(api);

    expect(told(await read(api, { from: '1'.repeat(100_000) }))).toMatchObject({
      status: 414,
      code: 'uri_too_long',
      limit: 16_384,
    });
  });
});
