import { describe, expect, test } from 'vitest';
import { compileExchange, NOT_HELD } from '../../../lib/core/routing/compiled-exchange.ts';
import { RoutedHeaders } from '../../../lib/core/routing/headers-matcher.ts';
import { idOf } from '../../support/batches.ts';
import {
  binding,
  type DrawnExchange,
  exchangeIdOf,
  exchangeName,
  graphOf,
  routed,
  settingsOf,
  toExchange,
  toStream,
} from '../../support/exchange-steps.ts';

type Drawn = DrawnExchange['settings'] | DrawnExchange['settings']['type'];

function drawn(name: string, how: Drawn, bindings: DrawnExchange['bindings']): DrawnExchange {
  return { name, settings: typeof how === 'string' ? settingsOf(how) : how, bindings };
}

const alternate = (name: string) => settingsOf('direct', { alternateExchange: exchangeName(name) });

describe('types', () => {
  const direct = graphOf(
    drawn('e', 'direct', [
      binding(toStream('q1'), 'a'),
      binding(toStream('q2'), 'A'),
      binding(toStream('q3'), 'a.'),
      binding(toStream('q4'), ''),
    ]),
  );

  test.each([
    ['a', ['q1']],
    ['A', ['q2']],
    ['', ['q4']],
    ['b', []],
  ])('X1: a direct exchange takes key %j for itself alone', (key, names) => {
    expect(routed(direct, { key })).toEqual(names);
  });

  test.each(['', 'any.key'])('X1: a fanout exchange ignores the key %j', (key) => {
    const fanout = graphOf(
      drawn('e', 'fanout', [binding(toStream('q1'), 'x'), binding(toStream('q2'), '')]),
    );
    expect(routed(fanout, { key })).toEqual(['q1', 'q2']);
  });

  const hash = graphOf(
    drawn('e', settingsOf('x-consistent-hash', { hashOn: 'tenant' }), [
      binding(toStream('q1'), '1'),
      binding(toStream('q2'), '1'),
    ]),
  );

  test('X1: a header that is hashed decides alone', () => {
    const first = routed(hash, { key: 'a', headers: { tenant: 'x' } });
    expect(first).toHaveLength(1);
    for (const key of ['b', 'c', 'd', 'e', 'f']) {
      expect(routed(hash, { key, copies: ['k'], headers: { tenant: 'x' } })).toEqual(first);
    }
  });

  test('X1: a missing header is hashed as an empty text', () => {
    const empty = routed(hash, { key: 'a', headers: { tenant: '' } });
    expect(routed(hash, { key: 'b', headers: { other: 1 } })).toEqual(empty);
    expect(routed(hash, { key: 'c' })).toEqual(empty);
  });

  test.each([5, [], ['a'], {}, null, true])('X1: header %j is refused', (tenant) => {
    const reason = 'header tenant must be a string: the exchange hashes it';
    expect(routed(hash, { headers: { tenant } })).toBe(reason);
  });

  test('X1: bound twice with other arguments, and once removed, it still receives', () => {
    const twice = [binding(toStream('q'), '1', { a: 1 }), binding(toStream('q'), '1', { a: 2 })];
    const graph = graphOf(drawn('e', 'x-consistent-hash', twice.slice(1)));
    expect(routed(graph, { key: 'x' })).toEqual(['q']);
  });
});

describe('graphs', () => {
  test('X2: a loop ends, and each stream gets one copy', () => {
    const q = binding(toStream('q'));
    const graph = graphOf(
      drawn('e1', 'fanout', [binding(toExchange('e2')), q]),
      drawn('e2', 'fanout', [binding(toExchange('e3')), q]),
      drawn('e3', 'fanout', [binding(toExchange('e1')), q]),
    );
    expect(routed(graph)).toEqual(['q']);
  });

  test('X2: a stream bound twice gets one copy', () => {
    const graph = graphOf(
      drawn('e', 'topic', [binding(toStream('s'), 'a'), binding(toStream('s'), '#')]),
    );
    expect(routed(graph, { key: 'a' })).toEqual(['s']);
  });

  const withAlternate = graphOf(
    drawn('e', alternate('ae'), [binding(toStream('q'), 'k')]),
    drawn('ae', 'fanout', [binding(toStream('lost'))]),
  );

  test.each([
    [{ key: 'k' }, ['q']],
    [{ key: 'x', copies: ['k'] }, ['q']],
    [{ key: 'x', copies: ['y', 'k'] }, ['q']],
    [{ key: 'x', copies: ['y'] }, ['lost']],
    [{ key: 'x' }, ['lost']],
  ])('X3 X4: %j goes to %j', (sent, names) => {
    expect(routed(withAlternate, sent)).toEqual(names);
  });

  test('X3: alternate exchanges that lead back end, and one that is missing takes nothing', () => {
    const loop = graphOf(drawn('a', alternate('b'), []), drawn('b', alternate('a'), []));
    const missing = graphOf(drawn('a', alternate('b'), []));
    expect(routed(loop)).toEqual([]);
    expect(routed(missing)).toEqual([]);
  });

  test('X3 T13: what leads only to something gone does not match', () => {
    const [gone, there] = [toStream('q', idOf(1)), toStream('lost', idOf(2))];
    const graph = graphOf(
      drawn('e', alternate('ae'), [binding(gone), binding(toExchange('deleted'))]),
      drawn('ae', 'fanout', [binding(there)]),
    );
    expect(routed(graph)).toEqual(['q']);
    expect(routed(graph, {}, new Set([idOf(1)]))).toEqual(['lost']);
  });

  test('X4: a copy that names the key again is none', () => {
    const graph = graphOf(
      drawn('e', 'direct', [
        binding(toStream('k'), 'k'),
        binding(toStream('a'), 'a'),
        binding(toStream('b'), 'b'),
      ]),
    );
    expect(routed(graph, { key: 'k', copies: ['k', 'a', 'b', 'a'] })).toEqual(['a', 'b', 'k']);
  });
});

describe('how many', () => {
  const streams = (count: number) =>
    Array.from({ length: count }, (_, at) => binding(toStream(`q${at}`)));

  test.each([
    [100, 100],
    [101, undefined],
  ])('X11: %j bound to a fanout', (count, expected) => {
    const found = routed(graphOf(drawn('e', 'fanout', streams(count))));
    expect(found).toEqual(expected === undefined ? 'too many' : expect.any(Array));
    if (expected !== undefined) expect(found).toHaveLength(expected);
  });

  test('X11: one that is bound twice counts once, and exchanges do not count', () => {
    const twice = [...streams(100), binding(toStream('q0'), 'again')];
    const chain = graphOf(
      drawn('e', 'fanout', [binding(toExchange('f')), binding(toExchange('g'))]),
      drawn('f', 'fanout', twice.slice(0, 50)),
      drawn('g', 'fanout', twice.slice(50)),
    );
    expect(routed(graphOf(drawn('e', 'fanout', twice)))).toHaveLength(100);
    expect(routed(chain)).toHaveLength(100);
  });

  test('X11: copies count with the key', () => {
    const keyed = Array.from({ length: 101 }, (_, at) => binding(toStream(`q${at}`), `k${at}`));
    const graph = graphOf(drawn('e', 'direct', keyed));
    const copies = Array.from({ length: 100 }, (_, at) => `k${at}`);
    expect(routed(graph, { key: 'k0', copies })).toHaveLength(100);
    expect(routed(graph, { key: 'k100', copies })).toBe('too many');
  });
});

describe('bindings to what is gone, beside what has its name now', () => {
  const [before, now] = [exchangeIdOf(7), exchangeIdOf(8)];

  test.each([
    ['fanout', '1'],
    ['x-consistent-hash', '1'],
  ] as const)('T13: a %s exchange leads to the one that is there', (type, key) => {
    const [f, g] = [drawn('f', 'fanout', [binding(toStream('q'))]), toExchange('f', now)];
    for (const bound of [
      [binding(g, key), binding(toExchange('f', before), '2')],
      [binding(toExchange('f', before), '2'), binding(g, key)],
    ]) {
      const graph = graphOf(drawn('e', type, bound), f);
      const [start, next] = [graph.start, graph.byName(exchangeName('f'))];
      const byId = (id: string) => (id === now ? next : undefined);
      const routes = ['a', 'b', 'c', 'd'].map((one) => routed({ ...graph, byId }, { key: one }));
      expect(start.next).toHaveLength(2);
      expect(routes).toEqual([['q'], ['q'], ['q'], ['q']]);
    }
  });

  test('X1 T13: keys of a stream that is gone belong to the others', () => {
    const streams = ['q', 'r', 's'].map((name) => toStream(name));
    const bound = streams.map((one) => binding(one, '1'));
    const all = graphOf(drawn('e', 'x-consistent-hash', bound));
    const left = graphOf(drawn('e', 'x-consistent-hash', bound.slice(1)));
    const [gone] = streams;
    const ids = new Set(gone?.kind === 'stream' ? [gone.id] : []);
    const keys = Array.from({ length: 50 }, (_, at) => `k${at}`);
    const routes = keys.map((key) => routed(all, { key }, ids));
    expect(routes).toEqual(keys.map((key) => routed(left, { key })));
    expect(routes).toContainEqual(['r']);
  });
});

test('X1: ten thousand patterns of a topic exchange are no work', () => {
  const words = ['eu', 'us', 'asia', 'quake', 'wave', '*', '#'];
  const word = (at: number) => words[at % words.length] ?? '';
  const bindings = Array.from({ length: 10_000 }, (_, at) =>
    binding(toStream(`q${at % 50}`), `${word(at)}.${word(at >> 3)}.d${at}.#`),
  );
  const exchange = { id: exchangeIdOf(1), name: exchangeName('e'), settings: settingsOf('topic') };
  const compiled = compileExchange(exchange, bindings);
  let visited = 0;
  const headers = new RoutedHeaders(undefined);
  const found = new Set<string>();
  compiled.match(
    { keys: ['eu.quake.d8.x.y'], headers, hold: () => NOT_HELD },
    {
      isThere: () => true,
      found: ({ name }) => {
        visited++;
        found.add(name);
      },
    },
  );
  expect({ visited: visited < 10, found: found.size < 10 }).toEqual({ visited: true, found: true });
});
