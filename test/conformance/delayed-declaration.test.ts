/** Exchanges that hold, as they are declared, and the place where they do, which is nobody's. */
import { describe, expect } from 'vitest';
import { inProcess } from '../support/api-test.ts';
import { heldIn } from '../support/delayed-steps.ts';
import { told } from '../support/publish-steps.ts';
import { bind, declareExchange, send } from '../support/routing-steps.ts';

const test = inProcess('its hand on the clock');

const HOLDING = { type: 'fanout', delayed: true };

describe('declared', () => {
  test('L1: by its type, which needs one to route by', async ({ api }) => {
    const typed = { type: 'x-delayed-message', delayed_type: 'topic' };
    const missing = await declareExchange(api, 'e', { type: 'x-delayed-message' });
    expect(missing).toMatchObject({ status: 400, field: 'delayed_type' });
    const unknown = { ...typed, delayed_type: 'foo' };
    expect(await declareExchange(api, 'e', unknown)).toMatchObject({
      status: 400,
      field: 'delayed_type',
    });
    expect((await api.call('GET /v1/exchanges/e')).status).toBe(404);

    expect(await declareExchange(api, 'e', typed)).toMatchObject({ status: 201, ...typed });
    expect(await declareExchange(api, 'e', typed)).toMatchObject({ status: 200, delayed: true });
    const other = { ...typed, delayed_type: 'direct' };
    expect(await declareExchange(api, 'e', other)).toMatchObject({
      status: 409,
      code: 'settings_mismatch',
      field: 'delayed_type',
    });
    expect(await declareExchange(api, 'f', { type: 'topic', delayed_type: 'topic' })).toMatchObject(
      { status: 400, field: 'delayed_type' },
    );
  });

  test('L1: by a setting', async ({ api }) => {
    expect(await declareExchange(api, 'e', HOLDING)).toMatchObject({
      status: 201,
      type: 'fanout',
      delayed: true,
      delayed_type: null,
    });
    expect(await declareExchange(api, 'e', { type: 'fanout' })).toMatchObject({
      status: 409,
      field: 'delayed',
    });
    const wrong = await declareExchange(api, 'f', { type: 'fanout', delayed: 'yes' });
    expect(wrong).toMatchObject({ status: 400, field: 'delayed' });
  });

  test('L9: a name of any length, whose holding place is nobody’s', async ({ api }) => {
    const name = 'x'.repeat(255);
    expect(await declareExchange(api, name, HOLDING)).toMatchObject({ status: 201 });
    const held = heldIn(await send(api, name, { headers: { 'x-delay': 5 } }));
    expect(held).toHaveLength(1);
    for (const place of ['amq.delayed-x', 'amq.delayed.x']) {
      const refused = { status: 403, code: 'internal_exchange' };
      expect(told(await send(api, place, {}))).toMatchObject(refused);
      expect(told(await api.call(`GET /v1/exchanges/${place}`))).toMatchObject(refused);
      expect(await bind(api, [place, 's'])).toMatchObject(refused);
      const bound = await bind(api, [name, place], { type: 'exchange' });
      expect(bound).toMatchObject({ status: 400, code: 'invalid_name' });
      for (const line of ['GET', 'PUT', 'DELETE']) {
        expect((await api.call(`${line} /v1/streams/${place}`)).status).toBe(400);
      }
      expect((await api.call(`GET /v1/streams/${place}/messages`)).status).toBe(400);
    }
    expect((await api.call('GET /v1/streams')).json()).toMatchObject({ items: [] });
  });
});
