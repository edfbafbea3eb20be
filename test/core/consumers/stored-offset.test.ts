import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyOffsetChange, planRemoval } from '../../../lib/core/consumers/stored-offset.ts';
import { isNeverStored, parseConsumerName } from '../../../lib/core/log/ids.ts';
import { at, consumerName } from '../../support/batches.ts';

const END = { next: at(10) };
const stored = (next: number, writtenMs = 1) => ({ next: at(next), writtenMs });
const change = (kind: 'set' | 'raise', next: number) => ({ kind, next: at(next), nowMs: 5 });

describe('a change of a stored offset', () => {
  test.each([
    ['C1: set stores the first one', undefined, 'set', 0, stored(0, 5)],
    ['C1: set goes up', stored(3), 'set', 7, stored(7, 5)],
    ['C1: set goes back', stored(7), 'set', 3, stored(3, 5)],
    ['C1: set writes again what is there', stored(7), 'set', 7, stored(7, 5)],
    ['C1: raise stores the first one', undefined, 'raise', 4, stored(4, 5)],
    ['C3: raise to 0 stores 0', undefined, 'raise', 0, stored(0, 5)],
    ['C1: raise goes up', stored(3), 'raise', 4, stored(4, 5)],
    ['C1 C6: raise to what is there writes nothing', stored(4), 'raise', 4, stored(4, 1)],
    ['C1 C6: raise to less writes nothing', stored(4), 'raise', 3, stored(4, 1)],
    ['C4: the end itself can be stored', stored(4), 'set', 10, stored(10, 5)],
  ] as const)('%s', (...[, before, kind, next, after]) => {
    expect(applyOffsetChange(before, change(kind, next), END)).toEqual({
      kind: 'stored',
      stored: after,
    });
  });

  test.each(['set', 'raise'] as const)('C4: %s behind the end stores nothing', (kind) => {
    for (const before of [undefined, stored(4)]) {
      expect(applyOffsetChange(before, change(kind, 11), END)).toEqual({
        kind: 'beyond',
        next: 10,
      });
    }
  });

  test('C1: raises come to their highest, in any order and however often', () => {
    const raises = fc.array(fc.nat(10), { minLength: 1 });
    fc.assert(
      fc.property(raises, (offsets) => {
        let now: ReturnType<typeof stored> | undefined;
        for (const next of offsets) {
          const outcome = applyOffsetChange(now, change('raise', next), END);
          if (outcome.kind === 'stored') now = outcome.stored;
        }
        expect(now?.next).toBe(Math.max(...offsets));
      }),
    );
  });
});

describe('what goes beyond the limit', () => {
  const all = new Map([
    [consumerName('b'), stored(1, 20)],
    [consumerName('a'), stored(9, 30)],
    [consumerName('c'), stored(1, 10)],
  ]);

  test.each([
    [3, []],
    [2, ['c']],
    [1, ['c', 'b']],
  ] as const)('C6: for a limit of %d', (limit, names) => {
    expect(planRemoval(all, limit)).toEqual(names);
  });

  test('C6: of those written at the same time in the order of the bytes of their names', () => {
    const names = ['\u{ffff}', '\u{10000}', 'ab', 'a', 'ä', '~'];
    const same = new Map(names.map((name) => [consumerName(name), stored(1)]));
    const byBytes = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

    expect(planRemoval(same, 1)).toEqual(byBytes.slice(0, -1));
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'binary', minLength: 1 })), (some) => {
        const valid = some.filter((name) => parseConsumerName(name).kind === 'ok');
        const plan = planRemoval(new Map(valid.map((name) => [consumerName(name), stored(1)])), 0);
        expect(plan).toEqual(
          valid.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
        );
      }),
    );
  });
});

describe('the name of a consumer', () => {
  test.each(['a', 'amq.ctag-x', 'amq.ctag-', '語'.repeat(85), 'amqp'])(
    'C5 C7: %s is one',
    (name) => {
      expect(parseConsumerName(name)).toEqual({ kind: 'ok', name });
    },
  );

  test.each([
    '',
    '.',
    '..',
    'amq.x',
    'amq.ctag',
    'varve.c',
    'x'.repeat(256),
    'amq.ctag-\u0000',
    '\ud800',
  ])('C5 C7: %j is none', (name) => {
    expect(parseConsumerName(name)).toMatchObject({ kind: 'reject' });
  });

  test('C5: which a broker gave is never stored', () => {
    expect(['amq.ctag-x', 'a'].map((name) => isNeverStored(consumerName(name)))).toEqual([
      true,
      false,
    ]);
  });
});
