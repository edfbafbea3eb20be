/** The list of streams, a page at a time. */
import { describe, expect } from 'vitest';
import type { Api } from '../support/api.ts';
import { inProcess, test } from '../support/api-test.ts';
import { told } from '../support/publish-steps.ts';

const bulkTest = inProcess('thousands of requests');

interface Page {
  readonly items: readonly { readonly name: string }[];
  readonly has_more: boolean;
}

async function list(api: Api, query = ''): Promise<Page> {
  return JSON.parse((await api.call(`GET /v1/streams${query}`)).text);
}

const create = (api: Api, name: string) => api.call(`PUT /v1/streams/${encodeURIComponent(name)}`);
const names = ({ items }: Page) => items.map(({ name }) => name);
const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `s${String(index).padStart(4, '0')}`);

/** All pages, with something done between them. */
async function listAll(
  api: Api,
  between: (page: number) => Promise<unknown> = async () => undefined,
) {
  const found: string[] = [];
  for (let page = 0, after = ''; ; page++) {
    const { items, has_more } = await list(
      api,
      `?limit=1000&start_after=${encodeURIComponent(after)}`,
    );
    found.push(...items.map(({ name }) => name));
    if (!has_more) return found;
    after = found.at(-1) ?? '';
    await between(page);
  }
}

describe('the list of streams', () => {
  bulkTest('gives each of 2500 once, in order', async ({ api }) => {
    for (const name of numbers(2_500)) await create(api, name);

    expect(await listAll(api)).toEqual(numbers(2_500));
  });

  bulkTest('gives each one that stays once, whatever comes and goes', async ({ api }) => {
    for (const name of numbers(2_500)) await create(api, name);
    const found = await listAll(api, async (page) => {
      // The last one given, one before it, one after it, and new ones on both sides.
      const last = (page + 1) * 1_000 - 1;
      for (const gone of [last, last - 1, last + 2]) {
        await api.call(`DELETE /v1/streams/${numbers(2_500)[gone]}`);
      }
      await create(api, `a${page}`);
      await create(api, `z${page}`);
    });

    expect(found).toEqual([...new Set(found)].sort());
    const removed = new Set(['s1001', 's2001']);
    const expected = numbers(2_500).filter((name) => !removed.has(name));
    expect(found.filter((name) => name.startsWith('s'))).toEqual(expected);
  });

  test('has names in the order of their UTF-8 bytes', async ({ api }) => {
    const ordered = ['A', 'B', 'a', 'a b', 'a/b', 'aa', 'ä', '日本', '\u{ffee}', '🜁'];
    for (const name of [...ordered].reverse()) await create(api, name);

    expect(names(await list(api))).toEqual(ordered);
  });

  test('takes a prefix, which is text and no pattern', async ({ api }) => {
    for (const name of ['a%', 'a%b', 'ab', 'a_', 'b', 'A%']) await create(api, name);

    expect(names(await list(api, '?prefix=a%25'))).toEqual(['a%', 'a%b']);
    expect(names(await list(api, '?prefix=a_'))).toEqual(['a_']);
    expect(names(await list(api, '?prefix=c'))).toEqual([]);
    expect(names(await list(api, '?prefix=a&start_after=a%25b'))).toEqual(['a_', 'ab']);
    expect(names(await list(api, '?prefix=b&start_after=a'))).toEqual(['b']);
  });

  test('says whether more follow', async ({ api }) => {
    for (const name of ['a', 'b', 'c']) await create(api, name);

    expect(await list(api, '?limit=2')).toMatchObject({ has_more: true });
    expect(await list(api, '?limit=3')).toMatchObject({ has_more: false });
    expect(await list(api, '?limit=1&start_after=b')).toMatchObject({ has_more: false });
    expect(names(await list(api, '?start_after=c'))).toEqual([]);
  });

  test('describes each stream', async ({ api }) => {
    await api.call('PUT /v1/streams/a', { body: { segment_max_age: '60m' } });

    expect((await list(api)).items).toEqual([
      {
        name: 'a',
        stream_id: expect.stringMatching(/^[0-9a-f]{32}$/),
        created_at: api.timeNow(),
        settings: { segment_max_age: '1h' },
        effective_settings: {
          max_age: { value: null, source: 'default' },
          max_length: { value: null, source: 'default' },
          max_length_bytes: { value: null, source: 'default' },
          allow_drop_past_committed: { value: false, source: 'default' },
          consumer_limit: { value: 100_000, source: 'default' },
          deduplication: { value: null, source: 'default' },
          segment_max_age: { value: '1h', source: 'argument' },
          segment_max_bytes: { value: 67_108_864, source: 'default' },
        },
      },
    ]);
  });

  test.for(['1001', '0', '-1', 'abc', '1e2', ''])('refuses limit=%s', async (limit, { api }) => {
    expect(told(await api.call(`GET /v1/streams?limit=${limit}`))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      field: 'limit',
    });
  });
});
