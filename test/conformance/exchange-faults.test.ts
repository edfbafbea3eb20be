/** A publish through an exchange whose store fails, at one destination or at all of them. */
import { describe, expect } from 'vitest';
import type { LogStore } from '../../lib/ports/log-store.ts';
import { StoreError } from '../../lib/ports/store-error.ts';
import type { LocalApi } from '../support/api.ts';
import { inProcess } from '../support/api-test.ts';
import { createApiOn } from '../support/faulty-api.ts';
import { told } from '../support/publish-steps.ts';
import {
  bind,
  countsIn,
  declareExchange,
  fanout,
  send,
  withOptions,
} from '../support/routing-steps.ts';

const test = inProcess('faults in the store');

const failure = (sideEffects: 'none' | 'possible') =>
  new StoreError('inside', { kind: 'timeout', sideEffects });

/** Where each stream is committed by itself; commits to those in `broken` fail. */
function openBroken(broken: ReadonlyMap<string, 'none' | 'possible'>): LocalApi {
  return createApiOn((log) => ({ ...log, commit: (appends) => commit(log, broken, appends) }), {
    store: 'aws',
  });
}

async function commit(
  log: LogStore,
  broken: ReadonlyMap<string, 'none' | 'possible'>,
  appends: Parameters<LogStore['commit']>[0],
) {
  const effects = appends.map(({ stream }) => broken.get(stream)).find((one) => one !== undefined);
  if (effects !== undefined) throw failure(effects);
  return await log.commit(appends);
}

const named = (publishing_id: number) => withOptions({ publisher: 'p', publishing_id });

describe('a destination that fails', () => {
  test('X8 P7: is named, and the others have it', async () => {
    const broken = new Map([['q', 'possible' as const]]);
    const api = openBroken(broken);
    await fanout(api, 'q', 's');
    expect(told(await send(api, 'e', {}))).toMatchObject({
      status: 200,
      routed: true,
      destinations: [
        {
          stream: 'q',
          outcome: 'failed',
          code: 'store_timeout',
          side_effects: 'possible',
          stored: 0,
        },
        { stream: 's', outcome: 'stored', stored: 1 },
      ],
      repeat: { safe: false, message: expect.stringContaining('a second copy') },
    });
    expect(api.errors).toMatchObject([{ event: 'destination_failed', exchange: 'e' }]);
    expect(await countsIn(api, 'q', 's')).toEqual([0, 1]);
  });

  test('X8 D13: of a named publish, gets from a repeat what it lacks', async () => {
    const broken = new Map([['q', 'none' as const]]);
    const api = openBroken(broken);
    await fanout(api, 'q', 's');
    expect(told(await send(api, 'e', named(1)))).toMatchObject({ repeat: { safe: true } });
    broken.clear();
    expect(told(await send(api, 'e', named(1)))).toMatchObject({
      destinations: [
        { stream: 'q', outcome: 'stored' },
        { stream: 's', outcome: 'duplicate' },
      ],
    });
    expect(await countsIn(api, 'q', 's')).toEqual([1, 1]);
  });

  test.each(['none', 'possible'] as const)(
    'X8 P7: when all do, with %s, the request has failed',
    async (effects) => {
      const broken = new Map([
        ['q', 'none' as const],
        ['s', effects],
      ]);
      const api = openBroken(broken);
      await fanout(api, 'q', 's');
      expect(told(await send(api, 'e', {}))).toMatchObject({
        status: 503,
        code: 'store_timeout',
        side_effects: effects,
      });
      expect(await countsIn(api, 'q', 's')).toEqual([0, 0]);
    },
  );
});

test('X3 T13: a stream that is deleted while a message is on its way is as if never bound', async () => {
  let onCommit = async () => {};
  const api = createApiOn((log) => ({
    ...log,
    async commit(appends) {
      await onCommit();
      return await log.commit(appends);
    },
  }));
  await fanout(api, 'q');
  await declareExchange(api, 'ae', { type: 'fanout' });
  await declareExchange(api, 'x', { type: 'fanout', alternate_exchange: 'ae' });
  await api.call('PUT /v1/streams/lost');
  await bind(api, ['ae', 'lost']);
  await bind(api, ['x', 'q']);
  onCommit = async () => {
    onCommit = async () => {};
    await api.call('DELETE /v1/streams/q');
    await api.call('PUT /v1/streams/q');
  };
  expect(told(await send(api, 'x', {}))).toMatchObject({
    routed: true,
    destinations: [{ stream: 'lost', outcome: 'stored' }],
  });
  expect(await countsIn(api, 'q', 'lost')).toEqual([0, 1]);
});
