/** Delayed messages as they are listed, shown, counted and cancelled. */
import { describe, expect } from 'vitest';
import { START_MS } from '../support/api.ts';
import { inProcess } from '../support/api-test.ts';
import { heldIn, listHeld, passMs } from '../support/delayed-steps.ts';
import { createStream, publish, readTexts, texts, told } from '../support/publish-steps.ts';

const test = inProcess('its hand on the clock');

describe('listed', () => {
  test('L10: in the order of release, by stream, in pages, and counted', async ({ api }) => {
    await createStream(api);
    await api.call('PUT /v1/streams/t');
    const waiting = (...ms: readonly number[]) => ms.map((delay_ms) => ({ text: 'abc', delay_ms }));
    const held = heldIn(await publish(api, waiting(3_000, 1_000)));
    await api.call('POST /v1/streams/t/messages', { body: { messages: waiting(2_000) } });

    const all = await listHeld(api);
    expect(all.map(({ due }) => due - START_MS)).toEqual([1_000, 2_000, 3_000]);
    expect(all[0]).toEqual({
      id: held[1]?.id,
      due: START_MS + 1_000,
      held_at: START_MS,
      stream: 's',
      bytes: expect.any(Number),
    });
    expect(await listHeld(api, '?stream=t')).toEqual([all[1]]);
    expect(await listHeld(api, '?stream=unknown')).toEqual([]);
    const page = told(await api.call('GET /v1/delayed?limit=2&count=true'));
    expect(page).toMatchObject({ items: all.slice(0, 2), has_more: true, count: 3 });
    expect(await listHeld(api, `?start_after=${all[1]?.id}`)).toEqual(all.slice(2));
    const counted = told(await api.call('GET /v1/delayed?stream=s&count=true'));
    expect(counted).toMatchObject({ count: 2, has_more: false });
  });

  test('L10: one, with its message', async ({ api }) => {
    await createStream(api);
    const late = { json: { magnitude: 5.1 }, key: 'ak', headers: { BCC: ['x'], a: 1 } };
    const [held] = heldIn(await publish(api, [{ ...late, delay_ms: 1_000 }]));
    const shown = await api.call(`GET /v1/delayed/${held?.id}`);
    expect(shown.json()).toMatchObject({
      id: held?.id,
      stream: 's',
      message: {
        json: { magnitude: 5.1 },
        key: 'ak',
        headers: { a: 1 },
        properties: { ingested_at: START_MS },
      },
    });
    expect(shown.text).not.toContain('BCC');
  });

  test('L10: one that is cancelled is not delivered', async ({ api }) => {
    await createStream(api);
    const late = texts('a', 'b', 'c').map((message) => ({ ...message, delay_ms: 1_000 }));
    const [first, second] = heldIn(await publish(api, late));
    const cancel = async (id: string | undefined, query = '') =>
      told(await api.call(`DELETE /v1/delayed/${id}${query}`));
    const gone = { status: 404, code: 'delayed_not_found' };

    expect((await api.call(`DELETE /v1/delayed/${second?.id}`)).status).toBe(204);
    expect(await cancel(second?.id)).toMatchObject(gone);
    expect((await api.call(`DELETE /v1/delayed/${second?.id}?if_exists=true`)).status).toBe(204);
    expect(told(await api.call(`GET /v1/delayed/${second?.id}`))).toMatchObject(gone);
    await passMs(api, 1_000);
    expect(await readTexts(api)).toEqual(['a', 'c']);
    expect(await cancel(first?.id)).toMatchObject(gone);
    expect(await cancel('nonsense')).toMatchObject(gone);
  });

  test.for([
    ['?stream=s&exchange=e', 'exchange'],
    ['?stream=amq.x', 'stream'],
    ['?exchange=', 'exchange'],
    ['?limit=0', 'limit'],
    ['?start_after=xyz', 'start_after'],
    ['?count=yes', 'count'],
    ['?sort=due', 'sort'],
  ] as const)('L10: refused: %s', async ([query, field], { api }) => {
    expect(told(await api.call(`GET /v1/delayed${query}`))).toMatchObject({ status: 400, field });
  });
});
