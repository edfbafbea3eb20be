/** Trim and purge: what is gone at once, what stays, and what is answered. */
import { describe, expect } from 'vitest';
import { inProcess, test } from '../support/api-test.ts';
import {
  createStream,
  nextOffset,
  numbered,
  publish,
  STREAM,
  told,
} from '../support/publish-steps.ts';
import { offsetsOf, publishEach, range, readPage, resolve, trim } from '../support/read-steps.ts';

const localTest = inProcess('its hand on the clock');

test('T11: a trim inside the active segment is exact and at once', async ({ api }) => {
  await createStream(api);
  await publishEach(api, 100);

  expect(told(await trim(api, 37))).toEqual({ status: 200, first: 37 });
  expect(await resolve(api, { from: 36 })).toMatchObject({
    resolved: { offset: 37 },
    gap: { requested: 36, first_available: 37, missing: 1 },
    first: 37,
    next: 100,
  });
  expect(offsetsOf(await readPage(api))).toEqual(range(37, 100));
});

test('T11: a trim below first moves nothing back', async ({ api }) => {
  await createStream(api);
  await publishEach(api, 100);
  await trim(api, 37);

  expect((await trim(api, 10)).json()).toEqual({ first: 37 });
  expect((await trim(api, 37)).json()).toEqual({ first: 37 });
  expect((await trim(api, 0)).json()).toEqual({ first: 37 });
  expect(offsetsOf(await readPage(api, { limit: 1 }))).toEqual([37]);
  expect(await nextOffset(api)).toBe(100);
});

test('T11: a trim of everything leaves the end where it was', async ({ api }) => {
  await createStream(api);
  await publishEach(api, 5, 5);

  expect((await trim(api, 10)).json()).toEqual({ first: 10 });
  expect((await publish(api, numbered(1))).json()).toMatchObject({ start: 10 });
  expect(offsetsOf(await readPage(api))).toEqual([10]);
});

describe('a trim is refused', () => {
  test.for([
    ['above the end', { before: 11 }, 'before'],
    ['below 0', { before: -1 }, 'before'],
    ['at half a message', { before: 1.5 }, 'before'],
    ['beyond 2^53 - 1', { before: 2 ** 53 }, 'before'],
    ['without a number', { before: '5' }, 'before'],
    ['without an offset', {}, 'before'],
    ['with a member too many', { before: 5, after: 2 }, 'after'],
  ] as const)('T11: %s', async ([, body, field], { api }) => {
    await createStream(api);
    await publishEach(api, 10);

    expect(told(await api.call(`POST ${STREAM}/trim`, { body }))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      field,
    });
    expect(offsetsOf(await readPage(api))).toEqual(range(0, 10));
  });
});

localTest('T11: a description shows what is left, counted in segments', async ({ api }) => {
  await createStream(api, { segment_max_bytes: 1 });
  for (const time of range(0, 4)) {
    await publish(api, numbered(5));
    if (time < 3) await api.clock.advance(10);
  }
  const now = api.clock.nowMs();
  const shown = async () => (await api.call(`GET ${STREAM}`)).json();

  expect(await shown()).toMatchObject({ first: 0, next: 20, messages: 20, segments: 4, bytes: 20 });
  await trim(api, 4);
  expect(await shown()).toMatchObject({ first: 4, messages: 16, segments: 4, bytes: 20 });
  await trim(api, 5);
  expect(await shown()).toMatchObject({ first: 5, messages: 15, segments: 3, bytes: 15 });
  await trim(api, 12);
  expect(await shown()).toMatchObject({ messages: 8, segments: 2, bytes: 10, oldest: now - 10 });
  await trim(api, 20);
  expect(await shown()).toMatchObject({ messages: 0, segments: 0, bytes: 0, oldest: null });
});

test('T12: a purge answers how many it dropped', async ({ api }) => {
  await createStream(api);
  await publishEach(api, 3);
  const purge = async () => told(await api.call(`POST ${STREAM}/purge`));

  expect(await purge()).toEqual({ status: 200, purged: 3 });
  expect((await api.call(`GET ${STREAM}`)).json()).toMatchObject({
    first: 3,
    next: 3,
    messages: 0,
  });
  expect(await purge()).toEqual({ status: 200, purged: 0 });
  expect((await publish(api, numbered(1))).json()).toMatchObject({ start: 3, end: 4 });
  await publishEach(api, 9);
  await trim(api, 6);
  expect(await purge()).toEqual({ status: 200, purged: 7 });
});

test('T12: an empty stream has nothing to purge', async ({ api }) => {
  await createStream(api);

  expect((await api.call(`POST ${STREAM}/purge`)).json()).toEqual({ purged: 0 });
  expect((await api.call(`POST ${STREAM}/purge`, { body: {} })).status).toBe(200);
  expect(told(await api.call(`POST ${STREAM}/purge`, { body: { all: true } }))).toMatchObject({
    status: 400,
    field: 'all',
  });
});

test('T12 D1: a purge forgets no publisher', async ({ api }) => {
  await createStream(api);
  const named = { publisher: 'p', publishing_id: 1 };
  await publish(api, numbered(3), named);
  await api.call(`POST ${STREAM}/purge`);

  expect((await publish(api, numbered(3), named)).json()).toMatchObject({
    stored: 0,
    duplicates: 3,
    start: 0,
    end: 3,
  });
});

test('T11 T12: of a stream that is missing is refused', async ({ api }) => {
  const missing = { status: 404, code: 'stream_not_found' };

  expect(told(await trim(api, 5))).toMatchObject(missing);
  expect(told(await api.call(`POST ${STREAM}/trim`, { body: { x: 1 } }))).toMatchObject(missing);
  expect(told(await api.call(`POST ${STREAM}/purge`))).toMatchObject(missing);
});
