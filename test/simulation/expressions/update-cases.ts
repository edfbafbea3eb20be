/** What updates make of one item. */
import type { Item } from '../../../lib/aws/table.ts';
import { B, BS, type ExpressionCase, L, leaves, M, N, REFUSED, S } from './expression-case.ts';

const ITEM: Item = {
  a: N(2),
  b: N(40),
  r: L(N(0), N(1), N(2), N(3), N(4), N(5)),
  p: M({ q: L(N(7), N(5), N(0)) }),
  c: BS([1], [2]),
};

interface UpdateCase extends Pick<ExpressionCase, 'update' | 'values' | 'emulators'> {
  /** What differs afterwards; undefined: gone. */
  readonly changes: { readonly [name: string]: Item[string] | undefined };
}

const CASES: readonly UpdateCase[] = [
  { update: 'SET z = :v', values: { ':v': S('') }, changes: { z: S('') } },
  { update: 'SET a = :v', values: { ':v': B() }, changes: { a: B() } },
  { update: 'SET a = b', changes: { a: N(40) } },
  { update: 'SET a = b, b = a', changes: { a: N(40), b: N(2) } },
  { update: 'SET a = b, b = b + :n', values: { ':n': N(3) }, changes: { a: N(40), b: N(43) } },
  { update: 'SET a = a - :n', values: { ':n': N(5) }, changes: { a: N(-3) } },
  { update: 'SET a = :n - a', values: { ':n': N(5) }, changes: { a: N(3) } },
  {
    update: 'SET z = a + :n',
    values: { ':n': N(Number.MAX_SAFE_INTEGER) },
    changes: { z: N('9007199254740993') },
  },
  { update: 'SET z = if_not_exists(z, :n)', values: { ':n': N(1) }, changes: { z: N(1) } },
  { update: 'SET z = if_not_exists(a, :n)', values: { ':n': N(1) }, changes: { z: N(2) } },
  {
    update: 'SET z = if_not_exists(z, :n) + :m',
    values: { ':n': N(1), ':m': N(2) },
    changes: { z: N(3) },
  },
  {
    update: 'SET z = list_append(if_not_exists(z, :none), :l)',
    values: { ':none': L(), ':l': L(N(1)) },
    changes: { z: L(N(1)) },
  },
  {
    update: 'SET p.w = list_append(p.q, :l)',
    values: { ':l': L(N(9)) },
    changes: { p: M({ q: L(N(7), N(5), N(0)), w: L(N(7), N(5), N(0), N(9)) }) },
  },
  {
    update: 'SET p.q[1] = p.q[1] + :n, p.w = :m',
    values: { ':n': N(1), ':m': M({}) },
    changes: { p: M({ q: L(N(7), N(6), N(0)), w: M({}) }) },
  },
  {
    update: 'SET r[20] = :x',
    values: { ':x': N(9) },
    changes: { r: L(N(0), N(1), N(2), N(3), N(4), N(5), N(9)) },
  },
  {
    update: 'SET r[84] = :x, r[37] = :y, r[17] = :z',
    values: { ':x': N(84), ':y': N(37), ':z': N(17) },
    changes: { r: L(N(0), N(1), N(2), N(3), N(4), N(5), N(17), N(37), N(84)) },
    emulators: 'differ',
  },
  { update: 'REMOVE a, zz, r[99], p.zz', changes: { a: undefined } },
  { update: 'REMOVE r[2], r[1], r[0]', changes: { r: L(N(3), N(4), N(5)) } },
  {
    update: 'REMOVE r[0], r[1], r[2]',
    changes: { r: L(N(3), N(4), N(5)) },
    emulators: 'differ',
  },
  {
    update: 'REMOVE r[1], r[4], r[0]',
    changes: { r: L(N(2), N(3), N(5)) },
    emulators: 'differ',
  },
  {
    update: 'REMOVE r[5], r[4], r[3], r[2], r[1], r[0] SET b = b + :n',
    values: { ':n': N(1) },
    changes: { r: L(), b: N(41) },
  },
  {
    update: 'SET r[3] = :x REMOVE r[1]',
    values: { ':x': N(17) },
    changes: { r: L(N(0), N(2), N(17), N(4), N(5)) },
  },
  { update: 'REMOVE p.q[1]', changes: { p: M({ q: L(N(7), N(0)) }) } },
  { update: 'REMOVE p.q', changes: { p: M({}) } },
  { update: 'REMOVE a SET z = a', changes: { a: undefined, z: N(2) } },
  { update: 'ADD a :n', values: { ':n': N(40) }, changes: { a: N(42) } },
  { update: 'ADD z :n', values: { ':n': N(-4) }, changes: { z: N(-4) } },
  { update: 'ADD c :s', values: { ':s': BS([2], [3]) }, changes: { c: BS([1], [2], [3]) } },
  { update: 'ADD z :s', values: { ':s': BS([2]) }, changes: { z: BS([2]) } },
  { update: 'DELETE c :s', values: { ':s': BS([2], [7]) }, changes: { c: BS([1]) } },
  { update: 'DELETE c :s', values: { ':s': BS([2], [1]) }, changes: { c: undefined } },
  { update: 'DELETE z :s', values: { ':s': BS([2]) }, changes: {} },
  {
    update: 'delete c :s add a :n set z = :n remove b',
    values: { ':s': BS([1]), ':n': N(1) },
    changes: { c: BS([2]), a: N(3), z: N(1), b: undefined },
  },
];

const onOneItem = CASES.map(({ changes, ...rest }): ExpressionCase => {
  const after = Object.entries({ ...ITEM, ...changes });
  const present = after.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return {
    name: rest.update ?? '',
    item: ITEM,
    ...rest,
    outcome: leaves(Object.fromEntries(present)),
  };
});

const ALIASES: readonly ExpressionCase[] = [
  {
    name: 'an alias stands for the name behind it',
    item: { count: N(1) },
    update: 'SET #count = #count + :n',
    values: { ':n': N(1) },
    outcome: leaves({ count: N(2) }),
  },
  {
    name: 'an alias stands for what the names say, dots included',
    item: { 'x.y': N(1), p: M({ 'x.y': N(1) }) },
    update: 'SET #q = #p.#q + :n',
    names: { '#q': 'x.y' },
    values: { ':n': N(4) },
    outcome: leaves({ 'x.y': N(5), p: M({ 'x.y': N(1) }) }),
  },
  {
    name: 'an update makes the item that is not there',
    update: 'SET a = :n ADD b :n, c :s',
    values: { ':n': N(1), ':s': BS([1]) },
    outcome: leaves({ a: N(1), b: N(1), c: BS([1]) }),
  },
  {
    name: 'a condition on what is not there refuses, and makes nothing',
    update: 'SET a = :n',
    condition: 'a < :n',
    values: { ':n': N(1) },
    outcome: REFUSED,
  },
  {
    name: 'a refusal comes before a path that leads nowhere',
    item: { c: M({}) },
    update: 'SET #c.#k[0] = :n',
    condition: 'attribute_exists(#c.#k)',
    values: { ':n': N(1) },
    outcome: REFUSED,
  },
];

export const UPDATE_CASES: readonly ExpressionCase[] = [...onOneItem, ...ALIASES];
