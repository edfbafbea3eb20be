/** Pages of a filter that never change: they may be kept for ever as any other, each filter's for itself. */
import { describe, expect } from 'vitest';
import type { Answer, Api } from '../support/api.ts';
import { test } from '../support/api-test.ts';
import { publishAll, readByBody, valued } from '../support/filter-steps.ts';
import { createStream, STREAM } from '../support/publish-steps.ts';
import { offsetsOf, pageOf, range } from '../support/read-steps.ts';

const FOR_EVER = 'private, max-age=31536000, immutable';

/** Sealed segments [0, 10), [10, 20), and an active one from 20 on; every third message is `foo`. */
async function prepare(api: Api): Promise<void> {
  await createStream(api, { segment_max_bytes: 10 });
  for (const start of [0, 10, 20]) {
    const values = range(start, start + 10).map((n) => valued(n % 3 === 0 ? 'foo' : 'bar'));
    await publishAll(api, values);
  }
}

function get(api: Api, query: string, headers: { readonly [name: string]: string } = {}) {
  return api.call(`GET ${STREAM}/messages?${query}`, { headers });
}

const isKept = ({ headers }: Answer) => headers.get('cache-control') === FOR_EVER;
const etagOf = ({ headers }: Answer) => headers.get('etag') ?? '';

test('LR6: ended by its limit within sealed segments it is kept, and the same later', async ({
  api,
}) => {
  await prepare(api);
  const before = await get(api, 'from=0&limit=3&filter=foo');
  await publishAll(api, [valued('foo')]);
  const after = await get(api, 'from=0&limit=3&filter=foo');

  expect([before, after].map(isKept)).toEqual([true, true]);
  expect(before.json()).toMatchObject({ messages: [{ offset: 0 }, { offset: 3 }, { offset: 6 }] });
  expect(before.json()).toMatchObject({ next: 7, poll_after_ms: 0 });
  for (const member of ['first', 'tail', 'up_to_date']) {
    expect(before.json()).not.toHaveProperty(member);
  }
  expect(after.text).toBe(before.text);
  expect(etagOf(after)).toBe(etagOf(before));
  const again = await get(api, 'from=0&limit=3&filter=foo', { 'if-none-match': etagOf(before) });
  expect([again.status, again.text]).toEqual([304, '']);
});

test('LR6: each filter has a tag of its own, and a page without one too', async ({ api }) => {
  await prepare(api);
  const queries = [
    'filter=foo',
    'filter=foo&match_unfiltered=true',
    'filter=%7B%22x-stream-filter-value%22%3A%22foo%22%7D',
    'filter=foo,bar&match=any',
    'filter=foo,bar',
    '',
  ].map((query) => `from=0&max_bytes=1&${query}`);
  const answers = await Promise.all(queries.map((query) => get(api, query)));

  // Both values at once have no message, so that page ends with all there is.
  expect(answers.map(isKept)).toEqual([true, true, true, true, false, true]);
  expect(new Set(answers.map(etagOf)).size).toBe(queries.length);
});

describe('it is not kept', () => {
  test.for([
    ['when all there is was looked at', 'from=0&filter=foo'],
    ['when nothing matches', 'from=0&limit=1&filter=nope'],
    ['when it reaches into the active segment', 'from=18&limit=2&filter=foo'],
    ['when it would wait', 'from=0&limit=1&filter=foo&wait=0'],
  ])('LR6: %s', async ([, query = ''], { api }) => {
    await prepare(api);
    const answer = await get(api, query);

    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.json()).toHaveProperty('up_to_date');
  });

  test('LR6: when it is asked for by POST', async ({ api }) => {
    await prepare(api);
    const answer = await readByBody(api, { from: 0, limit: 3 }, '"foo"');

    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(offsetsOf(pageOf(answer))).toEqual([0, 3, 6]);
  });
});
