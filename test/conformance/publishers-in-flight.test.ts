/** Requests of one publisher that are under way at the same time. */
import { describe, expect } from 'vitest';
import { StoreError } from '../../lib/ports/store-error.ts';
import type { Api } from '../support/api.ts';
import { inProcess } from '../support/api-test.ts';
import { createApiOn, createFaultyApi } from '../support/faulty-api.ts';
import { settle } from '../support/manual-clock.ts';
import { createStream, publish, readTexts, told } from '../support/publish-steps.ts';

const test = inProcess('faults in the store');

const named = (api: Api, ids: readonly number[]) =>
  publish(
    api,
    ids.map((id) => ({ text: String(id) })),
    { publisher: 'p', publishing_id: ids[0] },
  );

describe('the repeat of a request in flight', () => {
  test('D6: is answered when the original is durable', async () => {
    const { api, store } = createFaultyApi();
    await createStream(api);
    const release = store.holdNext();

    const answered: string[] = [];
    const original = named(api, [7]).finally(() => answered.push('original'));
    await settle();
    const repeat = named(api, [7]).finally(() => answered.push('repeat'));
    await settle();
    expect(answered).toEqual([]);

    release();
    expect(told(await original)).toMatchObject({ stored: 1, start: 0, end: 1 });
    expect(told(await repeat)).toMatchObject({ stored: 0, duplicates: 1, start: 0, end: 1 });
    expect(await readTexts(api)).toEqual(['7']);
  });

  test('D6: is stored, once, when the original fails', async () => {
    const full = new StoreError('disk full', { kind: 'unavailable', sideEffects: 'none' });
    const { promise: original, reject: failOriginal } = Promise.withResolvers<never>();
    const commits = [() => original];
    const api = createApiOn((log) => ({
      ...log,
      commit: (appends) => commits.pop()?.() ?? log.commit(appends),
    }));
    await createStream(api);

    const answers = Promise.all([
      named(api, [7]),
      settle().then(() => named(api, [7])),
      settle()
        .then(settle)
        .then(() => failOriginal(full)),
    ]);
    const [first, repeat] = await answers;

    expect(told(first)).toMatchObject({ status: 503, side_effects: 'none' });
    expect(told(repeat)).toMatchObject({ status: 200, stored: 1, start: 0, end: 1 });
    expect(await readTexts(api)).toEqual(['7']);
  });
});

describe('two requests of one publisher at the same time', () => {
  test('D12: the one with lower ids that lands second is a duplicate without a place', async ({
    api,
  }) => {
    await createStream(api);
    const [higher, lower] = await Promise.all([named(api, [7, 8]), named(api, [5, 6])]);

    expect(told(higher)).toMatchObject({ stored: 2, start: 0, end: 2 });
    expect(told(lower)).toMatchObject({ stored: 0, duplicates: 2, start: null, end: null });
    expect(await readTexts(api)).toEqual(['7', '8']);
  });

  test('D12: both are stored when the lower ids land first', async ({ api }) => {
    await createStream(api);
    const [lower, higher] = await Promise.all([named(api, [5, 6]), named(api, [7, 8])]);

    expect(told(lower)).toMatchObject({ stored: 2, start: 0 });
    expect(told(higher)).toMatchObject({ stored: 2, start: 2 });
    expect(await readTexts(api)).toEqual(['5', '6', '7', '8']);
  });

  test('D2 D12: however many overlap, no id is in the log twice', async ({ api }) => {
    await createStream(api);
    const firsts = Array.from({ length: 60 }, (_, index) => (index * 37) % 50);
    const answers = await Promise.all(
      firsts.map((first) => named(api, [first, first + 1, first + 2])),
    );
    const stored = (await readTexts(api)).map(Number);

    expect(answers.map(({ status }) => status)).toEqual(firsts.map(() => 200));
    expect(stored).toEqual([...new Set(stored)].sort((a, b) => a - b));
  });
});
