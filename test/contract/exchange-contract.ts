/** The contract of exchanges: what is bound, what goes with what, and that nothing is routed by what was before. */
import { describe, expect, test } from 'vitest';
import type { ExchangeSettings } from '../../lib/core/routing/exchange.ts';
import type { ExchangeEntry } from '../../lib/ports/exchanges.ts';
import { idOf, streamName } from '../support/batches.ts';
import {
  binding,
  exchangeIdOf,
  exchangeName,
  routed,
  type SentMessage,
  settingsOf,
  toExchange,
  toStream,
} from '../support/exchange-steps.ts';
import { append, readAll, type Subject } from './contract-steps.ts';

const EVERYTHING = { prefix: '', startAfter: '', limit: 1_000 };

export function describeExchanges({ ports, restart }: Subject): void {
  let ids = 0;
  const declare = async (name: string, settings: ExchangeSettings): Promise<ExchangeEntry> => {
    const id = exchangeIdOf(++ids);
    const entry = { name: exchangeName(name), exchangeId: id, settings, createdMs: 1_000 };
    expect(await ports().exchanges.create(entry)).toBe(true);
    return entry;
  };
  const createStream = async (name: string) => {
    const streamId = idOf(++ids);
    const entry = { name: streamName(name), streamId, settings: {}, createdMs: 1_000 };
    expect(await ports().catalog.create(entry)).toBe(true);
    return toStream(name, streamId);
  };
  const to = ({ name, exchangeId }: ExchangeEntry) => toExchange(name, exchangeId);
  const bound = async (source: ExchangeEntry, query = EVERYTHING) =>
    (await ports().exchanges.bindings(source, query)).map(({ name }) => name);
  /** What a publish would reach, gone streams left out, as those who publish find out. */
  const reached = async (name: string, message: SentMessage = {}) => {
    const graph = await ports().exchanges.routes(exchangeName(name));
    if (graph === undefined) return undefined;
    const there = await ports().catalog.list(EVERYTHING);
    const gone = new Set(Array.from({ length: ids + 1 }, (_, number) => idOf(number)));
    for (const { streamId } of there) gone.delete(streamId);
    return routed(graph, message, gone);
  };

  describe('exchanges', () => {
    test('X10: are kept as they were declared, once for each name', async () => {
      const settings = settingsOf('headers', {
        alternateExchange: exchangeName('ae'),
        internal: true,
        match: 'any',
      });
      const entry = await declare('e', settings);
      expect(await ports().exchanges.create({ ...entry, exchangeId: exchangeIdOf(99) })).toBe(
        false,
      );
      await restart();
      expect(await ports().exchanges.load(entry.name)).toEqual(entry);
      expect(await ports().exchanges.load(exchangeName('f'))).toBeUndefined();
    });

    test('X10: are listed by name, a page at a time', async () => {
      const long = 'x'.repeat(255);
      for (const name of ['b', 'a', 'ab', long, 'é']) await declare(name, settingsOf('direct'));
      const names = async (query: object) =>
        (await ports().exchanges.list({ ...EVERYTHING, ...query })).map(({ name }) => name);
      expect(await names({})).toEqual(['a', 'ab', 'b', long, 'é']);
      expect(await names({ limit: 2 })).toEqual(['a', 'ab']);
      expect(await names({ startAfter: 'ab', limit: 2 })).toEqual(['b', long]);
      expect(await names({ prefix: 'a', startAfter: 'a' })).toEqual(['ab']);
    });

    test('X6: a binding is one, and kept', async () => {
      const e = await declare('e', settingsOf('headers'));
      const wanted = binding(await createStream('q'), 'k', { a: [1, { b: 'é' }] });
      expect(await ports().exchanges.bind(e, wanted)).toBe('bound');
      expect(await ports().exchanges.bind(e, wanted)).toBe('known');
      await restart();
      expect(await ports().exchanges.bindings(e, EVERYTHING)).toEqual([wanted]);
      expect(await ports().exchanges.unbind(e, wanted.name)).toBe('unbound');
      expect(await ports().exchanges.unbind(e, wanted.name)).toBe('unbound');
      expect(await bound(e)).toEqual([]);
    });

    test('X6 T13: what binds to what is gone may be removed, and bound anew', async () => {
      const e = await declare('e', settingsOf('fanout'));
      const q = await createStream('q');
      const wanted = binding(q);
      await ports().exchanges.bind(e, wanted);
      if (q.kind === 'stream') await ports().catalog.remove(q.name, q.id);
      expect(await ports().exchanges.unbind(e, wanted.name)).toBe('unbound');
      const again = binding(await createStream('q'));
      expect(await ports().exchanges.bind(e, again)).toBe('bound');
      expect(await ports().exchanges.unbind(e, again.name)).toBe('unbound');
      expect(await bound(e)).toEqual([]);
    });

    test('X6: bindings are listed by name, a page at a time, however long those are', async () => {
      const e = await declare('e', settingsOf('topic'));
      const q = await createStream(`q${'é'.repeat(120)}`);
      const keys = ['a', 'b', '~'.repeat(255), '/'.repeat(254), `${'/'.repeat(254)}b`];
      const all = keys.map((key) => binding(q, key));
      for (const one of all) expect(await ports().exchanges.bind(e, one)).toBe('bound');
      const names = await bound(e);
      expect([...names].sort()).toEqual(all.map(({ name }) => name).sort());
      const paged: string[] = [];
      for (let [startAfter, pages] = ['', 0]; pages < 9; pages++) {
        const page = await bound(e, { prefix: '', startAfter, limit: 2 });
        paged.push(...page);
        startAfter = page.at(-1) ?? '';
        if (page.length < 2) break;
      }
      expect(paged).toEqual(names);
      expect(await bound(e, { ...EVERYTHING, prefix: 'exchange/' })).toEqual([]);
      const last = all.at(-1);
      expect(last && (await ports().exchanges.unbind(e, last.name))).toBe('unbound');
      expect(await bound(e)).toHaveLength(4);
    });

    test('X7: every change is honoured by the next publish, at any distance', async () => {
      const [q, r] = [await createStream('q'), await createStream('r')];
      const [e, f, g] = [
        await declare('e', settingsOf('fanout')),
        await declare('f', settingsOf('fanout')),
        await declare('g', settingsOf('fanout')),
      ];
      expect(await reached('e')).toEqual([]);
      expect(await reached('f')).toEqual([]);
      await ports().exchanges.bind(f, binding(q));
      await ports().exchanges.bind(e, binding(to(f)));
      expect(await reached('e')).toEqual(['q']);
      await ports().exchanges.bind(g, binding(r));
      await ports().exchanges.bind(f, binding(to(g)));
      expect(await reached('e')).toEqual(['q', 'r']);
      await ports().exchanges.unbind(f, binding(q).name);
      expect(await reached('e')).toEqual(['r']);
      await restart();
      expect(await reached('e')).toEqual(['r']);
      expect(await reached('x')).toBeUndefined();
    });

    test('X2: a loop, and one onto itself', async () => {
      const q = await createStream('q');
      const [e, f] = [
        await declare('e', settingsOf('fanout')),
        await declare('f', settingsOf('fanout')),
      ];
      expect(await ports().exchanges.bind(e, binding(to(e)))).toBe('bound');
      await ports().exchanges.bind(e, binding(to(f)));
      await ports().exchanges.bind(f, binding(to(e)));
      await ports().exchanges.bind(f, binding(q));
      expect(await reached('e')).toEqual(['q']);
    });

    test('X3: an alternate exchange is meant by its name', async () => {
      const q = await createStream('q');
      await declare('e', settingsOf('direct', { alternateExchange: exchangeName('ae') }));
      expect(await reached('e')).toEqual([]);
      const first = await declare('ae', settingsOf('fanout'));
      await ports().exchanges.bind(first, binding(q));
      expect(await reached('e')).toEqual(['q']);
      expect(await ports().exchanges.remove(first.name, first.exchangeId)).toBe(true);
      expect(await reached('e')).toEqual([]);
      const second = await declare('ae', settingsOf('fanout'));
      await ports().exchanges.bind(second, binding(q));
      expect(await reached('e')).toEqual(['q']);
    });

    test('X2 T13: a deleted stream leaves no binding to the next of its name', async () => {
      const e = await declare('e', settingsOf('fanout'));
      const q = await createStream('q');
      await ports().exchanges.bind(e, binding(q));
      if (q.kind === 'stream') await ports().catalog.remove(q.name, q.id);
      const again = await createStream('q');
      expect(await bound(e)).toEqual([]);
      expect(await reached('e')).toEqual([]);
      expect(await ports().exchanges.bind(e, binding(q))).toBe('destination_gone');
      expect(await ports().exchanges.bind(e, binding(again))).toBe('bound');
      expect(await reached('e')).toEqual(['q']);
    });

    test('X2 T13: nor a deleted exchange, at either end', async () => {
      const q = await createStream('q');
      const [e, f] = [
        await declare('e', settingsOf('fanout')),
        await declare('f', settingsOf('fanout')),
      ];
      await ports().exchanges.bind(e, binding(to(f)));
      await ports().exchanges.bind(f, binding(q));
      expect(await reached('e')).toEqual(['q']);
      expect(await ports().exchanges.remove(f.name, f.exchangeId)).toBe(true);
      expect(await ports().exchanges.remove(f.name, f.exchangeId)).toBe(false);
      const again = await declare('f', settingsOf('fanout'));
      expect(await bound(e)).toEqual([]);
      expect(await bound(again)).toEqual([]);
      await ports().exchanges.bind(again, binding(q));
      expect(await reached('e')).toEqual([]);
      expect(await ports().exchanges.bind(f, binding(q))).toBe('source_gone');
      expect(await ports().exchanges.unbind(f, binding(q).name)).toBe('source_gone');
      expect(await ports().exchanges.bind(e, binding(to(f)))).toBe('destination_gone');
    });

    test('X1 T13: keys that were of a deleted destination belong to those that are left', async () => {
      const e = await declare('e', settingsOf('x-consistent-hash'));
      const [q, r] = [await createStream('q'), await createStream('r')];
      const f = await declare('f', settingsOf('fanout'));
      for (const one of [q, r, to(f)]) await ports().exchanges.bind(e, binding(one, '1'));
      if (q.kind === 'stream') await ports().catalog.remove(q.name, q.id);
      await ports().exchanges.remove(f.name, f.exchangeId);
      const again = await createStream('q');
      for (const key of ['a', 'b', 'c', 'd', 'e'])
        expect(await reached('e', { key })).toEqual(['r']);
      await ports().exchanges.bind(e, binding(again, '1'));
      const later = await Promise.all(
        ['a', 'b', 'c', 'd', 'e'].map((key) => reached('e', { key })),
      );
      expect(new Set(later.flat())).toEqual(new Set(['q', 'r']));
    });

    test('X2 T13: bound to a deleted exchange and to the next of its name', async () => {
      const q = await createStream('q');
      const e = await declare('e', settingsOf('fanout'));
      const first = await declare('f', settingsOf('fanout'));
      await ports().exchanges.bind(e, binding(to(first), 'b'));
      await ports().exchanges.remove(first.name, first.exchangeId);
      const second = await declare('f', settingsOf('fanout'));
      await ports().exchanges.bind(e, binding(to(second), 'a'));
      await ports().exchanges.bind(second, binding(q));
      expect(await reached('e')).toEqual(['q']);
    });

    test('X2 T13: what leads to streams that are found to be gone may go', async () => {
      const [q, r] = [await createStream('q'), await createStream('r')];
      const settings = settingsOf('fanout', { alternateExchange: exchangeName('ae') });
      const [e, ae] = [await declare('e', settings), await declare('ae', settingsOf('fanout'))];
      for (const one of [binding(q, 'a'), binding(q, 'b'), binding(r)]) {
        expect(await ports().exchanges.bind(e, one)).toBe('bound');
      }
      await ports().exchanges.bind(ae, binding(q));
      const graph = await ports().exchanges.routes(e.name);
      if (q.kind !== 'stream') throw new Error('no stream');
      await ports().catalog.remove(q.name, q.id);
      await graph?.forget([q]);
      const again = await createStream('q');
      expect(await ports().exchanges.bind(e, binding(again, 'c'))).toBe('bound');
      await graph?.forget([q]);
      expect(await reached('e')).toEqual(['q', 'r']);
      expect([await bound(e), await bound(ae)]).toEqual([['stream/q/c', 'stream/r/~'], []]);
    });

    test('T13: an exchange is not bound to what has its name later, nor that to it', async () => {
      const first = await declare('e', settingsOf('fanout'));
      expect(await ports().exchanges.remove(first.name, first.exchangeId)).toBe(true);
      const second = await declare('e', settingsOf('fanout'));
      expect(await ports().exchanges.bind(first, binding(to(second)))).toBe('source_gone');
      expect(await ports().exchanges.bind(second, binding(to(first)))).toBe('destination_gone');
      expect(await bound(second)).toEqual([]);
    });

    test('X9: one that goes with its last binding goes with it, and with what that led to', async () => {
      const q = await createStream('q');
      const settings = settingsOf('fanout', { autoDelete: true });
      const [e, f] = [await declare('e', settings), await declare('f', settings)];
      const isThere = async (one: ExchangeEntry) =>
        (await ports().exchanges.load(one.name)) !== undefined;
      expect([await isThere(e), await isThere(f)]).toEqual([true, true]);
      await ports().exchanges.bind(e, binding(to(f)));
      await ports().exchanges.bind(f, binding(q, 'a'));
      await ports().exchanges.bind(f, binding(q, 'b'));
      await ports().exchanges.unbind(f, binding(q, 'a').name);
      expect([await isThere(e), await isThere(f)]).toEqual([true, true]);
      await ports().exchanges.unbind(f, binding(q, 'b').name);
      expect([await isThere(f), await isThere(e)]).toEqual([false, false]);
    });

    test('T13: an append that means an incarnation is stored in no other', async () => {
      const q = await createStream('q');
      if (q.kind !== 'stream') throw new Error('no stream');
      const own = { ...append(['a']), stream: q.name, ifStreamId: q.id };
      expect(await ports().log.commit([own])).toMatchObject([{ kind: 'stored', start: 0 }]);
      await ports().catalog.remove(q.name, q.id);
      const refused = { kind: 'reject', code: 'stream_not_found' };
      expect(await ports().log.commit([own])).toEqual([refused]);
      const again = await createStream('q');
      const plain = { ...append(['b']), stream: q.name };
      expect(await ports().log.commit([own, plain, own])).toMatchObject([
        refused,
        { kind: 'stored', start: 0, end: 1 },
        refused,
      ]);
      if (again.kind === 'stream') expect(await readAll(ports(), again.id)).toHaveLength(1);
    });
  });
}
