/** Reads by a consumer: where they start, what they store before, and what they say of it. */
import { describe, expect } from 'vitest';
import { test } from '../support/api-test.ts';
import { ack, listed, store, storedOf } from '../support/consumer-steps.ts';
import { createStream, told } from '../support/publish-steps.ts';
import {
  offsetsOf,
  publishEach,
  range,
  read,
  readPage,
  resolve,
  retained,
  trim,
} from '../support/read-steps.ts';
import { START_FORMS } from '../support/start-forms.ts';

const at = (from: string, offset: number, why: string) => ({
  status: 200,
  resolved: { from, offset, why },
});

describe('without from', () => {
  test.for(START_FORMS)('O10: %s starts at what is stored', async ([, ask], { api }) => {
    await retained(api, 0, 10);
    await store(api, 'audit', 3);
    const stored = at('stored', 3, 'stored offset of consumer audit');

    expect(await ask(api, { consumer: 'audit' })).toMatchObject(stored);
    expect(await ask(api, { consumer: 'audit', from: 'stored' })).toMatchObject(stored);
    expect(await ask(api, { consumer: 'audit', from_default: 'next' })).toMatchObject(stored);
  });

  test.for(START_FORMS)('O10 O11: %s says that nothing is stored', async ([, ask], { api }) => {
    await retained(api, 0, 5);

    expect(await ask(api, { consumer: 'c' })).toMatchObject(
      at('first', 0, 'consumer c has none stored: the default'),
    );
    expect(await ask(api, { consumer: 'c', from_default: 'next' })).toMatchObject(
      at('next', 5, 'consumer c has none stored: from_default'),
    );
    expect(await ask(api, { consumer: 'c', from_default: '-2', from: 'stored' })).toMatchObject(
      at('-2', 3, 'consumer c has none stored: from_default'),
    );
    expect(await ask(api, {})).toMatchObject(at('first', 0, 'the default'));
  });

  test('O10: a consumer with a name of any letters is named', async ({ api }) => {
    await retained(api, 0, 5);
    await store(api, 'ä語"', 2);
    const answer = await read(api, { consumer: 'ä語"' });
    const resolved = { from: 'stored', offset: 2, why: 'stored offset of consumer ä語"' };

    expect(answer.json()).toMatchObject({ resolved });
    expect(JSON.parse(answer.headers.get('varve-resolved') ?? '')).toEqual(resolved);
  });

  test('O3 O10: a reader goes on at next, and starts anew at from_default', async ({ api }) => {
    await retained(api, 0, 10);
    const first = await readPage(api, { consumer: 'c', from: 'next' });
    await publishEach(api, 2);

    expect(first.messages).toEqual([]);
    expect(offsetsOf(await readPage(api, { consumer: 'c', from: first.next }))).toEqual([10, 11]);
    expect((await readPage(api, { consumer: 'c' })).resolved).toEqual({
      from: 'first',
      offset: 0,
      why: 'consumer c has none stored: the default',
    });
  });

  test.for([
    ['stored', 'from_default'],
    ['firs', 'from_default'],
    ['', 'from_default'],
    ['ts:abc', 'from_default'],
  ] as const)('O12: from_default=%s is refused', async ([from_default, field], { api }) => {
    await retained(api, 0, 5);

    expect(told(await read(api, { consumer: 'c', from_default }))).toMatchObject({
      status: 400,
      code: 'invalid_offset',
      field,
    });
  });

  test.for([
    ['commit', 1],
    ['track', 'true'],
    ['track', 'false'],
    ['from_default', 'next'],
  ] as const)('C4: %s=%s needs a consumer', async ([name, value], { api }) => {
    await retained(api, 0, 5);
    const refused = { status: 400, code: 'invalid_request', field: name };

    expect(told(await read(api, { [name]: value }))).toMatchObject(refused);
    expect(await resolve(api, { [name]: value })).toMatchObject(refused);
  });
});

describe('a stored offset below first', () => {
  const gap = (requested: number) => ({
    requested,
    first_available: 501,
    missing: 501 - requested,
  });

  test.for(START_FORMS)(
    'O5 O10 T9: %s starts at first and names what is missing',
    async ([, ask], { api }) => {
      await retained(api, 0, 901);
      await store(api, 'c', 0);
      await trim(api, 501);
      const stored = at('stored', 501, 'stored offset of consumer c');

      expect(await ask(api, { consumer: 'c' })).toMatchObject({ ...stored, gap: gap(0) });
      expect(await ask(api, { consumer: 'c', on_gap: 'error' })).toMatchObject({
        status: 410,
        code: 'offset_trimmed',
        first_available: 501,
        side_effects: 'none',
      });
      expect(await storedOf(api, 'c')).toBe(0);
    },
  );

  test('T9: of two consumers the one that is behind is told', async ({ api }) => {
    await retained(api, 0, 100);
    await store(api, 'a', 10);
    await store(api, 'b', 84);
    await trim(api, 50);

    expect(await readPage(api, { consumer: 'a' })).toMatchObject({
      resolved: { offset: 50 },
      gap: { requested: 10, first_available: 50, missing: 40 },
    });
    const other = await readPage(api, { consumer: 'b' });
    expect([other.resolved.offset, other.gap]).toEqual([84, undefined]);
  });

  test('C4 T9: is told once, then the reader goes on', async ({ api }) => {
    await retained(api, 501, 901);
    await store(api, 'c', 100);
    const page = await readPage(api, { consumer: 'c', commit: 100, limit: 5 });

    expect(page).toMatchObject({ resolved: { offset: 501 }, gap: gap(100), next: 506 });
    const next = await readPage(api, { consumer: 'c', commit: page.next, limit: 5 });
    expect([next.gap, offsetsOf(next)]).toEqual([undefined, range(506, 511)]);
  });

  test('C4 P7: a refusal behind a commit does not say that nothing was stored', async ({ api }) => {
    await retained(api, 501, 901);
    const asked = { consumer: 'c', commit: 100, on_gap: 'error' };

    expect(told(await read(api, asked))).toMatchObject({ status: 410, side_effects: 'possible' });
    expect(await storedOf(api, 'c')).toBe(100);
    expect(told(await read(api, { ...asked, from: 0, commit: 600 }))).toMatchObject({
      status: 410,
      side_effects: 'none',
    });
    expect(await storedOf(api, 'c')).toBe(100);
  });
});

describe('with from', () => {
  test('C5: from is for the first read when the stored offset is tracked', async ({ api }) => {
    await retained(api, 0, 10);
    const ask = async () =>
      (await readPage(api, { consumer: 'c', from: -5, track: 'true', limit: 1 })).resolved;

    expect(await ask()).toEqual({
      from: '-5',
      offset: 5,
      why: 'consumer c has none stored: 5 before the end',
    });
    await ack(api, 'c', 5);
    await publishEach(api, 5);
    expect(await ask()).toEqual({
      from: 'stored',
      offset: 6,
      why: 'stored offset of consumer c',
    });
  });

  test.for(START_FORMS)('C5: %s leaves the stored offset alone', async ([, ask], { api }) => {
    await retained(api, 0, 5);
    await store(api, 'c', 1);

    expect(await ask(api, { consumer: 'c', from: '0' })).toMatchObject(
      at('0', 0, 'the offset asked for'),
    );
    expect(await storedOf(api, 'c')).toBe(1);
    expect(told(await read(api, { consumer: 'c', from: 0, track: 'true' }))).toMatchObject({
      resolved: { offset: 1 },
    });
    expect(told(await read(api, { consumer: 'c', from: 0, track: 'false' }))).toMatchObject({
      resolved: { offset: 0 },
    });
  });

  test('C5: a consumer that a broker named reads, and stores nothing', async ({ api }) => {
    await retained(api, 0, 10);
    const name = 'amq.ctag-x';
    let page = await readPage(api, { consumer: name, from_default: 2, limit: 3 });
    const seen = [...offsetsOf(page)];
    while (!page.up_to_date) {
      page = await readPage(api, { consumer: name, from: page.next, limit: 3 });
      seen.push(...offsetsOf(page));
    }

    expect(seen).toEqual(range(2, 10));
    expect([await storedOf(api, name), await listed(api)]).toEqual(['no_stored_offset', []]);
    const refused = told(await read(api, { consumer: name, commit: 3 }));
    expect(refused).toMatchObject({ status: 400, code: 'invalid_request', field: 'commit' });
    expect(refused).not.toHaveProperty('messages');
    expect(told(await read(api, { consumer: 'amq.x' }))).toMatchObject({
      status: 400,
      code: 'invalid_name',
    });
  });
});

test('LR6: nothing that a consumer reads may be kept', async ({ api }) => {
  await createStream(api, { segment_max_bytes: 10 });
  await publishEach(api, 10, 10, 5);
  for (const consumer of [{ consumer: 'c' }, { consumer: 'c', commit: 0 }]) {
    const answer = await read(api, { from: 0, limit: 5, ...consumer });

    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.has('etag')).toBe(false);
    expect(answer.json()).toMatchObject({ first: 0, tail: 25 });
  }
});
