/** The contract of exchanges that hold: their messages are routed when they are due, and go with them. */
import { describe, expect, test } from 'vitest';
import type { StreamName } from '../../lib/core/log/ids.ts';
import type { HeldTarget } from '../../lib/core/timer/held-message.ts';
import { holdingPlace } from '../../lib/core/timer/held-message.ts';
import type { ExchangeEntry } from '../../lib/ports/exchanges.ts';
import { batchWith, idOf, publisherName, streamName } from '../support/batches.ts';
import {
  binding,
  exchangeIdOf,
  exchangeName,
  settingsOf,
  toStream,
} from '../support/exchange-steps.ts';
import { append, publish, type Subject } from './contract-steps.ts';
import { bodiesIn, heldIdOf, holding, releaseAt, type Wanted } from './timer-steps.ts';
import { remembering } from './value-steps.ts';

const EVERYTHING = { prefix: '', startAfter: '', limit: 1_000 };

export function describeDelayedExchanges({ ports, restart }: Subject): void {
  let ids = 100;
  const declare = async (name: string): Promise<ExchangeEntry> => {
    const id = exchangeIdOf(++ids);
    const settings = settingsOf('fanout', { delayed: 'setting' });
    const entry = { name: exchangeName(name), exchangeId: id, settings, createdMs: 1_000 };
    expect(await ports().exchanges.create(entry)).toBe(true);
    return entry;
  };
  const createStream = async (name: string, settings = {}) => {
    const streamId = idOf(++ids);
    await ports().catalog.create({ name: streamName(name), streamId, settings, createdMs: 1_000 });
    return { to: toStream(name, streamId), id: streamId, name: streamName(name) };
  };
  const sent = ({ name, exchangeId }: ExchangeEntry) => {
    const place = holdingPlace(exchangeId);
    const heldFor = { name, id: exchangeId };
    return { stream: place.name, ifStreamId: place.id, heldFor };
  };
  const hold = async (to: ExchangeEntry, wanted: readonly Wanted[], rest = {}) => {
    const { batch, delays } = holding(...wanted);
    const [outcome] = await publish(ports(), append(batch, { delays, ...sent(to), ...rest }));
    return outcome;
  };
  const bodies = (stream: StreamName) => bodiesIn(ports(), stream);
  const targetOf = ({ name, exchangeId: id }: ExchangeEntry): HeldTarget => {
    return { kind: 'exchange', name, id };
  };

  describe('exchanges that hold', () => {
    test('L6 L7: take a message without a binding, and route it by those of its time', async () => {
      const e = await declare('e');
      const [q, r] = [await createStream('q'), await createStream('r')];
      await ports().exchanges.bind(e, binding(q.to));
      expect(await hold(e, [{ body: 'a', dueMs: 5_000 }])).toMatchObject({
        kind: 'held',
        held: [0],
      });
      await ports().exchanges.unbind(e, binding(q.to).name);
      await ports().exchanges.bind(e, binding(r.to));
      await restart();
      expect(await releaseAt(ports(), 5_000)).toMatchObject({ released: 1 });
      expect([await bodies(q.name), await bodies(r.name)]).toEqual([[], ['a']]);
    });

    test('L7: what nothing is bound for is dropped and counted', async () => {
      const e = await declare('e');
      await hold(e, [
        { body: 'a', dueMs: 5_000 },
        { body: 'b', dueMs: 5_001 },
      ]);
      const { told } = await releaseAt(ports(), 6_000);
      expect(told).toMatchObject([{ messages: 2, dropped: { unroutable: 2, target_deleted: 0 } }]);
      expect(await ports().timers.count()).toBe(0);
    });

    test('L4: several streams get what is theirs, in its order', async () => {
      const [e, f] = [await declare('e'), await declare('f')];
      const [q, r] = [await createStream('q'), await createStream('r')];
      await ports().exchanges.bind(e, binding(q.to));
      await ports().exchanges.bind(f, binding(q.to));
      await ports().exchanges.bind(f, binding(r.to));
      await hold(e, [
        { body: 'e2', dueMs: 5_002 },
        { body: 'e1', dueMs: 5_001 },
      ]);
      await hold(f, [
        { body: 'f3', dueMs: 5_003 },
        { body: 'f0', dueMs: 5_000 },
      ]);
      await releaseAt(ports(), 6_000);
      expect((await bodies(q.name)).sort()).toEqual(['e1', 'e2', 'f0', 'f3']);
      expect((await bodies(q.name)).filter((body) => body.startsWith('e'))).toEqual(['e1', 'e2']);
      expect(await bodies(r.name)).toEqual(['f0', 'f3']);
    });

    test('L9: what it holds goes with it, and no other of its name has it', async () => {
      const e = await declare('e');
      const q = await createStream('q');
      await ports().exchanges.bind(e, binding(q.to));
      await hold(e, [
        { body: 'a', dueMs: 5_000 },
        { body: 'b', dueMs: 5_001 },
      ]);
      expect(await ports().timers.count(targetOf(e))).toBe(2);
      expect(await ports().exchanges.remove(e.name, e.exchangeId)).toBe(true);
      expect(await ports().timers.count()).toBe(0);
      expect(await ports().timers.list({ startAfter: '', limit: 10 })).toEqual([]);
      expect(await hold(e, [{ body: 'c', dueMs: 5_000 }])).toEqual({
        kind: 'reject',
        code: 'stream_not_found',
      });

      const again = await declare('e');
      await ports().exchanges.bind(again, binding(q.to));
      expect(await ports().timers.count(targetOf(again))).toBe(0);
      const { told } = await releaseAt(ports(), 6_000);
      expect(told.reduce((sum, { dropped }) => sum + dropped.target_deleted, 0)).toBe(2);
      expect(await bodies(q.name)).toEqual([]);
    });

    test('L9: where it holds is in no list of streams', async () => {
      const e = await declare('e');
      await createStream('q');
      await hold(e, [{ body: 'a', dueMs: 5_000 }]);
      expect((await ports().catalog.list(EVERYTHING)).map(({ name }) => name)).toEqual(['q']);
      await ports().exchanges.remove(e.name, e.exchangeId);
      await restart();
      expect((await ports().catalog.list(EVERYTHING)).map(({ name }) => name)).toEqual(['q']);
    });

    test('D13 L3: publishing ids count where the message is held', async () => {
      const e = await declare('e');
      const q = await createStream('q');
      await ports().exchanges.bind(e, binding(q.to));
      const publisher = { name: publisherName('p'), ids: [1] };
      const wanted = [{ body: 'a', dueMs: 5_000 }];
      expect(await hold(e, wanted, { publisher })).toMatchObject({ kind: 'held' });
      expect(await hold(e, wanted, { publisher })).toMatchObject({ kind: 'duplicate' });
      await releaseAt(ports(), 6_000);
      expect(await hold(e, wanted, { publisher })).toMatchObject({ kind: 'duplicate' });
      expect(await bodies(q.name)).toEqual(['a']);
      // The name is free at the stream, which has not heard of the publisher.
      expect(await ports().log.publisher(q.id, publisherName('p'))).toBeUndefined();
    });

    test('L7 M5: a stream knows values when they come, and takes what it cannot read', async () => {
      const e = await declare('e');
      const q = await createStream('q', remembering());
      await ports().exchanges.bind(e, binding(q.to));
      const value = { 'x-deduplication-header': 'v' };
      const batch = batchWith(['a', value], ['b', value], ['c', { 'x-cache-ttl': 'soon' }]);
      const delays = [5_000, 5_001, 6_000].map((dueMs, index) => {
        return { index, id: heldIdOf(dueMs, index), bytes: 10 };
      });
      await publish(ports(), append(batch, { delays, ...sent(e) }));
      await releaseAt(ports(), 5_500);
      expect(await bodies(q.name)).toEqual(['a']);
      await releaseAt(ports(), 6_500);
      expect(await bodies(q.name)).toEqual(['a', 'c']);
    });

    test('L12: a stream that goes while others stay costs them nothing', async () => {
      const e = await declare('e');
      const [q, r] = [await createStream('q'), await createStream('r')];
      for (const one of [q, r]) await ports().exchanges.bind(e, binding(one.to));
      await hold(e, [{ body: 'a', dueMs: 5_000 }]);
      await ports().catalog.remove(q.name, q.id);
      const { told } = await releaseAt(ports(), 6_000);
      expect(told).toMatchObject([{ dropped: { unroutable: 0, target_deleted: 0 } }]);
      expect(await bodies(r.name)).toEqual(['a']);
    });
  });
}
