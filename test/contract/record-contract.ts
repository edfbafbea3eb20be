/** The contract of what exchanges remember of values: to whom a message was to go, who has it, and for how long. */
import { describe, expect, test } from 'vitest';
import type { Deduplication } from '../../lib/core/log/deduplication.ts';
import type { StreamDestination } from '../../lib/core/routing/route.ts';
import type { RoutingRecord, ValueTry } from '../../lib/core/routing/routing-record.ts';
import type { Append } from '../../lib/ports/log-store.ts';
import { idOf, publisherName, streamName } from '../support/batches.ts';
import { exchangeIdOf, exchangeName, settingsOf } from '../support/exchange-steps.ts';
import { append, bodiesOf, readAll, type Subject } from './contract-steps.ts';
import { carrying, remembering } from './value-steps.ts';

const EXCHANGE_ID = exchangeIdOf(1);
const VALUES: Deduplication = { header: 'id', cache_size: 3, cache_ttl: null };
const [Q, R, S]: readonly StreamDestination[] = ['q', 'r', 's'].map((name, at) => {
  return { name: streamName(name), id: idOf(at + 1) };
});

export function describeRecords({ ports, restart, maintain }: Subject): void {
  let rids = 0;
  const rid = () => (++rids).toString(16).padStart(32, '0');
  const open = async (rest: Partial<Deduplication> = {}) => {
    for (const one of [Q, R, S]) await createStream(one);
    const settings = settingsOf('fanout', { deduplication: { ...VALUES, ...rest } });
    const entry = { name: exchangeName('e'), exchangeId: EXCHANGE_ID, settings, createdMs: 1 };
    expect(await ports().exchanges.create(entry)).toBe(true);
  };
  const createStream = async (to: StreamDestination | undefined, settings: object = {}) => {
    if (to === undefined) return;
    const entry = { name: to.name, streamId: to.id, settings, createdMs: 1 };
    expect(await ports().catalog.create(entry)).toBe(true);
  };
  const remember = async (
    tries: readonly (Omit<ValueTry, 'rid'> & { readonly rid?: string })[],
    { nowMs = 1_000, ...rest }: { readonly nowMs?: number } & Partial<Deduplication> = {},
  ) => {
    const exchange = { exchangeId: EXCHANGE_ID, deduplication: { ...VALUES, ...rest } };
    const all = tries.map((one) => ({ rid: rid(), ...one }));
    return await ports().exchanges.remember(exchange, all, nowMs);
  };
  const one = async (
    value: string,
    destinations: readonly (StreamDestination | undefined)[],
    rest: Parameters<typeof remember>[1] = {},
  ): Promise<RoutingRecord | undefined> => {
    const known = destinations.filter((to) => to !== undefined);
    return (await remember([{ value, destinations: known }], rest))?.[0];
  };
  const claim = (value: string, record: RoutingRecord | undefined) => ({
    exchangeId: EXCHANGE_ID,
    index: 0,
    value,
    rid: record?.rid ?? '0'.repeat(32),
  });
  const to = (
    destination: StreamDestination | undefined,
    claims: readonly ReturnType<typeof claim>[],
    rest: Partial<Append> = {},
  ): Append => {
    if (destination === undefined) throw new Error('no destination');
    const { name: stream, id: ifStreamId } = destination;
    return { ...append(['m']), stream, ifStreamId, records: claims, ...rest };
  };
  const kinds = async (...appends: readonly Append[]) =>
    (await ports().log.commit(appends)).map((outcome) =>
      outcome.kind === 'reject' ? outcome.code : outcome.kind,
    );
  const countIn = async (destination: StreamDestination | undefined) =>
    bodiesOf(await readAll(ports(), destination?.id)).length;

  describe('records of an exchange', () => {
    test('M5: a record tells who has the message, and a repeat goes to the others', async () => {
      await open();
      const first = await one('A', [Q, R]);
      expect(first).toMatchObject({ number: 1, destinations: [Q, R], taken: new Set() });
      expect(await kinds(to(Q, [claim('A', first)]))).toEqual(['stored']);
      await restart();

      const again = await one('A', [Q, R, S], { nowMs: 9_000_000 });
      expect(again).toEqual({ ...first, taken: new Set([Q?.id]) });
      expect(await kinds(to(Q, [claim('A', again)]), to(R, [claim('A', again)]))).toEqual([
        'record_changed',
        'stored',
      ]);
      expect([await countIn(Q), await countIn(R)]).toEqual([1, 1]);
      expect((await one('A', []))?.taken).toEqual(new Set([Q?.id, R?.id]));
    });

    test('M5: while nobody has it nothing is remembered', async () => {
      await open();
      const first = await one('A', [Q]);
      expect(await one('A', [Q])).toEqual(first);
      const other = await one('A', [Q, R]);
      expect(other).toMatchObject({ number: 2, destinations: [Q, R] });
      expect(await kinds(to(Q, [claim('A', first)]))).toEqual(['record_changed']);
      expect(await one('A', [Q, R], { nowMs: 11_000 })).toMatchObject({ number: 3 });
      expect(await one('B', [])).toBeUndefined();
    });

    test('M5: of several appends with one claim the first is stored, in one commit too', async () => {
      await open();
      const record = await one('A', [Q]);
      const claims = [claim('A', record)];
      expect(await kinds(to(Q, claims), to(Q, []), to(Q, claims))).toEqual([
        'stored',
        'stored',
        'record_changed',
      ]);
      expect(await countIn(Q)).toBe(2);
    });

    test('M5: a claim that does not hold keeps all of its append away', async () => {
      await open();
      const [a, b] = [await one('A', [Q]), await one('B', [Q])];
      expect(await kinds(to(Q, [claim('A', a)]))).toEqual(['stored']);
      expect(await kinds(to(Q, [claim('B', b), claim('A', a)]))).toEqual(['record_changed']);
      expect(await kinds(to(Q, [claim('B', b)]), to(Q, [claim('C', undefined)]))).toEqual([
        'stored',
        'record_changed',
      ]);
      expect(await countIn(Q)).toBe(2);
    });

    test('M5 D10: what a stream refuses is not noted, nor what it leaves out by its id', async () => {
      await open();
      const record = await one('A', [Q, R]);
      const claims = [claim('A', record)];
      const publisher = { name: publisherName('p'), ids: [1] };
      expect(await kinds(to(Q, claims, { expectedOffset: 7 }))).toEqual(['offset_mismatch']);
      expect((await one('A', [Q, R]))?.taken).toEqual(new Set());
      expect(await kinds(to(Q, [], { publisher }))).toEqual(['stored']);
      expect(await kinds(to(Q, claims, { publisher }))).toEqual(['duplicate']);
      expect((await one('A', [Q, R]))?.taken).toEqual(new Set());
      const b = await one('B', [Q, R]);
      const both = [claim('A', record), { ...claim('B', b), index: 1 }];
      const two = { ...to(Q, both, { publisher: { ...publisher, ids: [1, 2] } }) };
      expect(await kinds({ ...two, batch: append(['a', 'b']).batch })).toEqual(['stored']);
      expect((await one('A', [Q, R]))?.taken).toEqual(new Set());
      expect((await one('B', [Q, R]))?.taken).toEqual(new Set([Q?.id]));
      expect(await countIn(Q)).toBe(2);
    });

    test('M5 M7: what a stream knows by its own values is noted', async () => {
      await open();
      const own = { name: streamName('own'), id: idOf(8) };
      await createStream(own, remembering());
      const [a, b] = [await one('A', [own]), await one('B', [own])];
      const { batch } = carrying(['x']);
      const sent = (record: RoutingRecord | undefined, value: string) =>
        kinds({ ...to(own, [claim(value, record)]), batch });
      expect([await sent(a, 'A'), await sent(b, 'B')]).toEqual([['stored'], ['duplicate']]);
      expect((await one('B', [own]))?.taken).toEqual(new Set([own.id]));
    });

    test('M3 M4: what expires is remembered anew, what others push out too', async () => {
      await open();
      const taken = async (value: string, rest: Parameters<typeof remember>[1] = {}) => {
        const record = await one(value, [Q], rest);
        const outcome = (await kinds(to(Q, [claim(value, record)])))[0];
        return outcome === 'stored' ? 'stored' : 'known';
      };
      const ttl = (nowMs: number) => taken('A', { nowMs, cache_ttl: 500 });
      expect([await ttl(1_000), await ttl(1_499), await ttl(1_500)]).toEqual([
        'stored',
        'known',
        'stored',
      ]);
      for (const value of ['B', 'C']) expect(await taken(value)).toBe('stored');
      await restart();
      expect([await taken('A'), await taken('D'), await taken('B'), await taken('A')]).toEqual([
        'known',
        'stored',
        'known',
        'stored',
      ]);
    });

    test('M5 T13: what was remembered goes with the exchange, and a stream counts by its id', async () => {
      await open();
      const record = await one('A', [Q, R]);
      if (Q) await ports().catalog.remove(Q.name, Q.id);
      await createStream({ name: streamName('q'), id: idOf(9) });
      expect(await kinds(to(Q, [claim('A', record)]))).toEqual(['stream_not_found']);
      expect(await kinds(to(R, [claim('A', record)]))).toEqual(['stored']);
      expect(await ports().exchanges.remove(exchangeName('e'), EXCHANGE_ID)).toBe(true);
      await maintain();
      const again = { exchangeId: exchangeIdOf(2), settings: settingsOf('fanout') };
      const entry = { name: exchangeName('e'), createdMs: 1, ...again };
      expect(await ports().exchanges.create(entry)).toBe(true);
      const exchange = { exchangeId: exchangeIdOf(2), deduplication: VALUES };
      const tries = [{ value: 'A', rid: rid(), destinations: R ? [R] : [] }];
      expect(await ports().exchanges.remember(exchange, tries, 1_000)).toMatchObject([
        { number: 1, taken: new Set() },
      ]);
    });

    test('M1: as many values as one transaction holds, those of a large cache among them', async () => {
      await open({ cache_size: 1_000 });
      const large = { name: streamName('l'), id: idOf(7) };
      await createStream(large, remembering({ cache_size: 129 }));
      const values = Array.from({ length: 99 }, (_, at) => `v${at}`);
      const destinations = Q ? [Q, large] : [];
      const records = await remember(
        values.map((value) => ({ value, destinations })),
        { cache_size: 1_000 },
      );
      const claims = values.map((value, at) => claim(value, records?.[at]));
      expect(await kinds(to(Q, claims), to(large, claims))).toEqual(['stored', 'stored']);
      const after = await remember(
        values.map((value) => ({ value, destinations })),
        { cache_size: 1_000 },
      );
      expect(after?.every((record) => record?.taken.size === 2)).toBe(true);
    });
  });
}
