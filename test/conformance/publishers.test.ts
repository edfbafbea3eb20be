/** Named publishers: which repeats are recognised, and what the stream remembers of whom. */
import { describe, expect } from 'vitest';
import type { Api } from '../support/api.ts';
import { test } from '../support/api-test.ts';
import {
  createStream,
  nextOffset,
  numbered,
  publish,
  readTexts,
  STREAM,
  told,
} from '../support/publish-steps.ts';

interface Named {
  readonly publisher?: string;
  readonly epoch?: number;
  readonly expected_offset?: number;
}

/** Publishes a message for each of the ids, which rise by one, with the id as its text. */
async function send(api: Api, ids: readonly number[], named: Named = {}) {
  const messages = ids.map((id) => ({ text: String(id) }));
  const answer = await publish(api, messages, { publisher: 'p', publishing_id: ids[0], ...named });
  return told(answer);
}

async function highest(api: Api, publisher = 'p'): Promise<unknown> {
  const answer = await api.call(`GET ${STREAM}/publishers/${publisher}`);
  return answer.status === 200 ? answer.json()['publishing_id'] : answer.json()['code'];
}

const STORED = { status: 200, stored: 1, duplicates: 0 };
const DUPLICATE = { status: 200, stored: 0, duplicates: 1 };
const UNKNOWN_PLACE = { start: null, end: null, timestamp: null };

describe('publishing ids', () => {
  test('D1 D2 D3: a higher id is stored, one at or below the highest is a duplicate', async ({
    api,
  }) => {
    await createStream(api);
    const answers: unknown[] = [];
    for (const id of [1, 2, 3, 2, 3, 5]) answers.push(await send(api, [id]));

    expect(answers).toMatchObject([
      { ...STORED, start: 0 },
      { ...STORED, start: 1 },
      { ...STORED, start: 2 },
      { ...DUPLICATE, ...UNKNOWN_PLACE, tail: 3 },
      { ...DUPLICATE, start: 2, end: 3, tail: 3 },
      { ...STORED, start: 3 },
    ]);
    expect(await readTexts(api)).toEqual(['1', '2', '3', '5']);
    expect(await highest(api)).toBe(5);
  });

  test.for([0, 1, 41, Number.MAX_SAFE_INTEGER])(
    'D3 D8: the first one may be %d',
    async (id, { api }) => {
      await createStream(api);

      expect(await send(api, [id])).toMatchObject(STORED);
      expect(await highest(api)).toBe(id);
      expect((await api.call(`GET ${STREAM}/publishers/p`)).text).toContain(
        `"publishing_id":${id}`,
      );
    },
  );

  test('D2: that came in the wrong order are told apart from success', async ({ api }) => {
    await createStream(api);

    expect(await send(api, [41])).toMatchObject({ ...STORED, start: 0, end: 1 });
    expect(await send(api, [1])).toMatchObject({ ...DUPLICATE, ...UNKNOWN_PLACE });
    expect(await send(api, [41])).toMatchObject({ ...DUPLICATE, start: 0, end: 1 });
    expect(await highest(api)).toBe(41);
  });

  test('D4: of a batch that is partly known the rest is stored, in order', async ({ api }) => {
    await createStream(api);
    await publish(api, numbered(59));
    await send(api, [12]);

    expect(await send(api, [10, 11, 12, 13, 14])).toMatchObject({
      stored: 2,
      duplicates: 3,
      start: 60,
      end: 62,
      tail: 62,
    });
    expect((await readTexts(api)).slice(59)).toEqual(['12', '13', '14']);
    expect(await highest(api)).toBe(14);
  });

  test('D4: may be given with every message, with gaps', async ({ api }) => {
    await createStream(api);
    await send(api, [12]);
    const messages = [3, 12, 20, 31].map((id) => ({ text: String(id), publishing_id: id }));

    expect(told(await publish(api, messages, { publisher: 'p' }))).toMatchObject({
      stored: 2,
      duplicates: 2,
      start: 1,
      end: 3,
    });
    expect(await readTexts(api)).toEqual(['12', '20', '31']);
    expect(await highest(api)).toBe(31);
  });

  test('D5: the repeat of the latest request is told where its messages are', async ({ api }) => {
    await createStream(api);
    await publish(api, numbered(50));
    const ids = [10, 11, 12, 13, 14];
    await send(api, ids);
    await publish(api, numbered(10));

    expect(await send(api, ids)).toMatchObject({
      status: 200,
      start: 50,
      end: 55,
      stored: 0,
      duplicates: 5,
      tail: 65,
    });
    expect(await send(api, [10, 11])).toMatchObject({ duplicates: 2, ...UNKNOWN_PLACE });
    expect(await send(api, [11, 12, 13, 14])).toMatchObject({ duplicates: 4, ...UNKNOWN_PLACE });
    expect(await nextOffset(api)).toBe(65);
  });

  test('D5 P4 P11: a repeat is a duplicate although its expected offset has passed', async ({
    api,
  }) => {
    await createStream(api);
    await publish(api, numbered(40));
    const condition = { expected_offset: 40 };

    expect(await send(api, [9], condition)).toMatchObject({ ...STORED, start: 40 });
    expect(await send(api, [9], condition)).toMatchObject({ ...DUPLICATE, start: 40, end: 41 });
  });

  test('D7: without a publisher the same body twice is two messages', async ({ api }) => {
    await createStream(api);
    await publish(api, [{ text: 'a' }]);
    await publish(api, [{ text: 'a' }]);

    expect(await readTexts(api)).toEqual(['a', 'a']);
    expect((await api.call(`GET ${STREAM}/publishers`)).json()).toEqual({
      items: [],
      has_more: false,
    });
  });

  const own = (...ids: readonly (number | undefined)[]) =>
    ids.map((id) => ({ text: 'a', ...(id !== undefined && { publishing_id: id }) }));

  test.for([
    ['an id without a publisher', own(undefined), { publishing_id: 1 }, 'publishing_id'],
    ['ids of messages without a publisher', own(1), {}, 'publishing_id'],
    ['an epoch without a publisher', own(undefined), { epoch: 1 }, 'epoch'],
    ['a publisher without ids', own(undefined), { publisher: 'p' }, 'publishing_id'],
    ['an id for one message of two', own(1, undefined), { publisher: 'p' }, 'publishing_id'],
    ['ids that fall', own(2, 1), { publisher: 'p' }, 'publishing_id'],
    ['ids that stay', own(2, 2), { publisher: 'p' }, 'publishing_id'],
    ['ids given twice', own(2), { publisher: 'p', publishing_id: 2 }, 'publishing_id'],
  ] as const)('D2 D7: are refused: %s', async ([, messages, options, field], { api }) => {
    await createStream(api);

    expect(told(await publish(api, messages, options))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      field,
    });
    expect(await nextOffset(api)).toBe(0);
    expect(await highest(api)).toBe('publisher_not_found');
  });
});

describe('what is remembered', () => {
  test('D8: is told for each publisher, and listed by name', async ({ api }) => {
    await createStream(api);
    await send(api, [7], { publisher: 'b' });
    await send(api, [3], { publisher: 'a', epoch: 2 });
    const a = { name: 'a', publisher: 'a', publishing_id: 3, epoch: 2 };
    const b = { name: 'b', publisher: 'b', publishing_id: 7 };

    expect((await api.call(`GET ${STREAM}/publishers/a`)).json()).toEqual(a);
    expect((await api.call(`GET ${STREAM}/publishers`)).json()).toEqual({
      items: [a, b],
      has_more: false,
    });
    expect((await api.call(`GET ${STREAM}/publishers?limit=1`)).json()).toEqual({
      items: [a],
      has_more: true,
    });
    expect(told(await api.call(`GET ${STREAM}/publishers/c`))).toMatchObject({
      status: 404,
      code: 'publisher_not_found',
      publisher: 'c',
    });
  });

  test('D9: are the ids of 255 publishers; one that is forgotten starts anew', async ({ api }) => {
    await createStream(api);
    const names = Array.from({ length: 255 }, (_, index) => `p${index}`);
    for (const publisher of names) await send(api, [100], { publisher });
    for (const publisher of names) {
      expect(await send(api, [100], { publisher })).toMatchObject(DUPLICATE);
    }

    // p0 publishes again, so p1 is the one that has been silent for longest.
    await send(api, [101], { publisher: 'p0' });
    await send(api, [5], { publisher: 'new' });
    expect(await highest(api, 'p0')).toBe(101);
    expect(await highest(api, 'p1')).toBe('publisher_not_found');
    expect(await highest(api, 'p2')).toBe(100);
    expect(await send(api, [100], { publisher: 'p1' })).toMatchObject(STORED);
    expect(await send(api, [6], { publisher: 'new' })).toMatchObject(STORED);
  });

  test('D10: stays as it is when a publish is refused or known', async ({ api }) => {
    await createStream(api);
    await send(api, [6, 7], { epoch: 1 });
    const before = (await api.call(`GET ${STREAM}/publishers/p`)).json();
    const tooLarge = [{ text: 'x'.repeat(1_048_577) }];
    const options = { publisher: 'p', publishing_id: 8, epoch: 5 };

    expect(await send(api, [8], { epoch: 5, expected_offset: 9 })).toMatchObject({ status: 412 });
    expect((await publish(api, tooLarge, options)).status).toBe(413);
    expect((await publish(api, numbered(1), { ...options, fencing_token: 'a' })).status).toBe(412);
    expect(await send(api, [5], { epoch: 5 })).toMatchObject(DUPLICATE);
    expect((await api.call(`GET ${STREAM}/publishers/p`)).json()).toEqual(before);
    expect(await send(api, [6, 7], { epoch: 1 })).toMatchObject({ start: 0, end: 2 });
    expect(await send(api, [8], { epoch: 1 })).toMatchObject(STORED);
  });

  test('D11 D10: fences off a lower epoch, and none after one', async ({ api }) => {
    await createStream(api);
    const fenced = {
      status: 409,
      code: 'publisher_fenced',
      retryable: false,
      side_effects: 'none',
    };

    expect(await send(api, [1], { epoch: 2 })).toMatchObject(STORED);
    expect(await send(api, [2], { epoch: 1 })).toMatchObject({ ...fenced, epoch: 2 });
    expect(await send(api, [2])).toMatchObject({ ...fenced, epoch: 2 });
    expect(await send(api, [1], { epoch: 0 })).toMatchObject(fenced);
    expect(await highest(api)).toBe(1);
    expect(await send(api, [2], { epoch: 3 })).toMatchObject(STORED);
    expect(await send(api, [3], { epoch: 2 })).toMatchObject({ ...fenced, epoch: 3 });
    expect(await send(api, [3], { publisher: 'q' })).toMatchObject(STORED);
    expect(await readTexts(api)).toEqual(['1', '2', '3']);
  });

  test('T13 D1 P5: is gone with the stream', async ({ api }) => {
    await createStream(api);
    await send(api, [1], { epoch: 9 });
    await api.call(`PUT ${STREAM}/fencing-token`, { body: { fencing_token: 'a' } });
    const before = (await api.call(`GET ${STREAM}`)).json();
    await api.call(`DELETE ${STREAM}`);
    await createStream(api);

    const list = await api.call(`GET ${STREAM}/publishers`);
    expect(list.json()).toEqual({ items: [], has_more: false });
    expect((await api.call(`GET ${STREAM}/fencing-token`)).json()).toEqual({ fencing_token: null });
    expect(await send(api, [1])).toMatchObject({ ...STORED, start: 0 });
    expect((await api.call(`GET ${STREAM}`)).json()['stream_id']).not.toBe(before['stream_id']);
  });
});
