/** Commits of a reader: what is stored before anything is read, and what is refused. */
import { describe, expect } from 'vitest';
import { test } from '../support/api-test.ts';
import { store, storedOf } from '../support/consumer-steps.ts';
import { openEvents } from '../support/event-reader.ts';
import { STREAM, told } from '../support/publish-steps.ts';
import { offsetsOf, type Query, range, read, readPage, retained } from '../support/read-steps.ts';
import { START_FORMS } from '../support/start-forms.ts';

describe('a commit', () => {
  test('C4: is the whole loop, and a lost answer repeats', async ({ api }) => {
    await retained(api, 0, 20);
    const first = await readPage(api, { consumer: 'c', limit: 5 });
    expect([offsetsOf(first), await storedOf(api, 'c')]).toEqual([range(0, 5), 'no_stored_offset']);

    const lost = await readPage(api, { consumer: 'c', commit: first.next, limit: 5 });
    expect([offsetsOf(lost), await storedOf(api, 'c')]).toEqual([range(5, 10), 5]);
    for (const again of [{}, { commit: first.next }]) {
      const page = await readPage(api, { consumer: 'c', ...again, limit: 5 });
      expect([offsetsOf(page), await storedOf(api, 'c')]).toEqual([range(5, 10), 5]);
    }
  });

  test('C4: never lowers what is stored', async ({ api }) => {
    await retained(api, 0, 20);
    await store(api, 'c', 8);
    const committed = async (query: Query) => {
      const { resolved, next } = await readPage(api, { consumer: 'c', ...query, limit: 1 });
      return [resolved.offset, next, await storedOf(api, 'c')];
    };

    expect(await committed({ commit: 5 })).toEqual([8, 9, 8]);
    expect(await committed({ commit: 8 })).toEqual([8, 9, 8]);
    expect(await committed({ from: 2, commit: 9 })).toEqual([2, 3, 9]);
    expect(await committed({ from: 2, commit: 10, track: 'true' })).toEqual([10, 11, 10]);
    expect(await committed({ commit: 20 })).toEqual([20, 20, 20]);
  });

  test('C4: of 0 is one, whatever from_default says', async ({ api }) => {
    await retained(api, 0, 20);

    expect(await readPage(api, { consumer: 'c', commit: 0, from_default: 'next' })).toMatchObject({
      resolved: { from: 'stored', offset: 0 },
    });
    expect(await storedOf(api, 'c')).toBe(0);
  });

  test.for([21, -1, 1.5, 'abc', 1_795_946_400_000, '9007199254740992'])(
    'C4: of %s is refused, and nothing read',
    async (commit, { api }) => {
      await retained(api, 0, 20);
      await store(api, 'c', 8);
      const refused = {
        status: 400,
        code: 'invalid_request',
        field: 'commit',
        side_effects: 'none',
      };

      for (const query of [{ commit }, { commit, from: 2 }]) {
        const answer = told(await read(api, { consumer: 'c', ...query }));
        expect(answer).toMatchObject(refused);
        expect(answer).not.toHaveProperty('messages');
      }
      expect(await storedOf(api, 'c')).toBe(8);
    },
  );

  test.for(START_FORMS)(
    'C4 O15: %s of another incarnation stores nothing',
    async ([, ask], { api }) => {
      await retained(api, 0, 20);
      await store(api, 'c', 8);

      expect(await ask(api, { consumer: 'c', commit: 9, if_stream_id: 'other' })).toMatchObject({
        status: 409,
      });
      expect(await storedOf(api, 'c')).toBe(8);
    },
  );

  test.for(START_FORMS.filter(([name]) => name !== 'a read by POST'))(
    'C4: %s stores it',
    async ([, ask], { api }) => {
      await retained(api, 0, 20);

      expect(await ask(api, { consumer: 'c', commit: 7 })).toMatchObject({
        resolved: { from: 'stored', offset: 7 },
      });
      expect(await storedOf(api, 'c')).toBe(7);
    },
  );

  test('C4: in a body is an integer', async ({ api }) => {
    await retained(api, 0, 20);
    const call = async (body: object) => told(await api.call(`POST ${STREAM}/read`, { body }));

    expect(await call({ consumer: 'c', commit: '7' })).toMatchObject({ status: 400 });
    expect(await storedOf(api, 'c')).toBe('no_stored_offset');
    expect(await call({ consumer: 'c', commit: 7, limit: 2 })).toMatchObject({ next: 9 });
    expect(await storedOf(api, 'c')).toBe(7);
  });

  test('C4 LR3: acts once on an event stream, when it begins', async ({ api }) => {
    await retained(api, 0, 20);
    const query = { consumer: 'c', commit: 5, limit: 3 };
    const events = await (await openEvents(api, query)).rest();
    expect(await storedOf(api, 'c')).toBe(5);
    expect(events[0]).toMatchObject({ id: expect.stringMatching(/^7,3,/) });

    await store(api, 'c', 2);
    await (await openEvents(api, { ...query, limit: 9 }, events[0]?.id)).rest();
    expect(await storedOf(api, 'c')).toBe(2);
  });
});
