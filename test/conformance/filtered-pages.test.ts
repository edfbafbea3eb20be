/** What bounds a page of a filter, and how far it brings its reader. */
import { describe, expect } from 'vitest';
import { inProcess, test } from '../support/api-test.ts';
import { createFiltered, filteredOffsets, publishAll, valued } from '../support/filter-steps.ts';
import { createStream, publish, told } from '../support/publish-steps.ts';
import { offsetsOf, range, read, readPage } from '../support/read-steps.ts';

const manyTest = inProcess('thousands of requests');

describe('a page of a filter', () => {
  test('LR4: has a limit of what matches, and passes over the rest', async ({ api }) => {
    await createStream(api);
    await publishAll(
      api,
      range(0, 100).map((n) => valued(n % 10 === 3 ? 'foo' : 'bar')),
    );
    const page = await readPage(api, { filter: 'foo', limit: 4 });

    expect(offsetsOf(page)).toEqual([3, 13, 23, 33]);
    expect(page).toMatchObject({ next: 34, tail: 100, up_to_date: false, poll_after_ms: 0 });
  });

  test('LR4: counts the bytes of what matches, and gives one message at least', async ({ api }) => {
    await createStream(api);
    const bodies = ['x'.repeat(500), 'y'.repeat(5_000), 'x'.repeat(500)];
    await publishAll(
      api,
      bodies.map((text, n) => ({ text, ...valued(n === 1 ? 'bar' : 'foo') })),
    );

    expect(await filteredOffsets(api, { filter: 'foo', max_bytes: 1 })).toEqual([0]);
    expect(await filteredOffsets(api, { filter: 'foo', max_bytes: 1_100 })).toEqual([0, 2]);
    expect(await readPage(api, { filter: 'foo', max_bytes: 1_000 })).toMatchObject({ next: 2 });
    expect(await filteredOffsets(api, { from: 1, filter: 'bar', max_bytes: 1 })).toEqual([1]);
  });

  test('O5 O15: begins with a gap as any other, although nothing behind it matches', async ({
    api,
  }) => {
    await createFiltered(api);
    await api.call('POST /v1/streams/s/trim', { body: { before: 3 } });
    const gap = { requested: 1, first_available: 3, missing: 2 };

    expect(await readPage(api, { from: 1, filter: 'foo' })).toMatchObject({ gap, next: 6 });
    expect(await readPage(api, { from: 1, filter: 'nope', wait: 20 })).toMatchObject({
      gap,
      messages: [],
      next: 6,
    });
    expect(told(await read(api, { from: 1, filter: 'foo', on_gap: 'error' }))).toMatchObject({
      status: 410,
    });
  });

  test('O14: by time: the start is found first', async ({ api }) => {
    await createFiltered(api);

    expect(await filteredOffsets(api, { from: 'last', filter: 'foo' })).toEqual([]);
    expect(await readPage(api, { from: 'next', filter: 'foo' })).toMatchObject({ next: 6 });
    expect(await filteredOffsets(api, { from: '1h', filter: 'foo' })).toEqual([1, 3, 4]);
  });

  test('O14: resolving and planning take none', async ({ api }) => {
    await createFiltered(api);
    const unknown = { status: 400, code: 'invalid_request', field: 'filter' };

    expect(told(await api.call('GET /v1/streams/s/offsets?filter=foo'))).toMatchObject(unknown);
    const body = { filter: 'foo' };
    expect(told(await api.call('POST /v1/streams/s/read-plan', { body }))).toMatchObject(unknown);
  });
});

manyTest('F7: a page ends when much was looked at, and tells how far it is', async ({ api }) => {
  await createStream(api);
  const text = 'x'.repeat(1_000_000);
  for (const _request of range(0, 40)) await publish(api, [{ text }]);
  await publishAll(api, [valued('foo')]);
  const first = await readPage(api, { from: 0, filter: 'foo' });
  expect(first).toMatchObject({ messages: [], up_to_date: false, poll_after_ms: 0 });
  expect(first.next).toBeGreaterThan(30);
  expect(first.next).toBeLessThan(40);

  expect(await filteredOffsets(api, { from: first.next, filter: 'foo' })).toEqual([40]);
  expect(await filteredOffsets(api, { from: 0, filter: 'foo', wait: 20 })).toEqual([40]);
});
