/** What conditions say of one item. */
import type { Item } from '../../../lib/aws/table.ts';
import { B, BS, DONE, type ExpressionCase, L, M, N, REFUSED, S } from './expression-case.ts';

const ITEM: Item = {
  n5: N(5),
  n10: N(10),
  txt: S('orders'),
  h: B(0x7f, 0xff),
  c: BS([1, 2], [3]),
  r: L(N(1), S('x'), B(9)),
  p: M({ q: L(N(7), N(5), N(0)), m: M({ deep: S('down') }) }),
  l0: L(),
};

const VALUES = {
  ':one': N(1),
  ':5': N(5),
  ':7': N(7),
  ':10': N(10),
  ':big': N('9007199254740993'),
  ':txt': S('orders'),
  ':ord': S('ord'),
  ':7f': B(0x7f),
  ':7fff': B(0x7f, 0xff),
  ':7fff00': B(0x7f, 0xff, 0),
  ':80': B(0x80),
  ':12': B(1, 2),
  ':3': B(3),
  ':9': B(9),
  ':set': BS([3], [1, 2]),
  ':list': L(N(7), N(5), N(0)),
  ':other': L(N(7), N(5), N(1)),
  ':map': M({ deep: S('down') }),
  ':0': N(0),
};

const HOLD = [
  'n5 = :5',
  'n5 < :10',
  'n5 <= :5',
  'n10 > :5',
  'n10 >= :10',
  'n5 <> :10',
  'n5 < n10',
  'n10 < :big',
  // The same words in any case.
  'n5 = :5 and not n10 = :5 Or n5 = :7',
  // Bytes are unsigned and compared from the first on.
  'h < :80',
  'h < :7fff00',
  'h = :7fff',
  'h > :7f',
  // Other types are neither less nor equal.
  'h <> :5',
  'NOT h < :5',
  'NOT txt = :5',
  // So is what is absent.
  'zz <> :one',
  'NOT zz < :one',
  'NOT zz = :one',
  'NOT contains(zz, :one)',
  'NOT zz BETWEEN :one AND :one',
  'NOT zz IN (:one)',
  'NOT size(zz) < :one',
  'attribute_not_exists(zz)',
  'attribute_not_exists(p.zz)',
  'attribute_not_exists(r[3])',
  'attribute_not_exists(zz.q[1])',
  'attribute_exists(p.q[1])',
  'attribute_exists(p.m.deep)',
  'p.q[1] = :5',
  'r[0] < p.q[0]',
  'p.q = :list',
  'p.q <> :other',
  'p.m = :map',
  'c = :set',
  'n5 BETWEEN :one AND :7',
  'n5 BETWEEN :5 AND :5',
  'n5 BETWEEN :one AND :7 AND n10 = :10',
  'n10 IN (:one, :5, :10)',
  'size(r) = :s3',
  'size(c) < :5',
  'size(p) >= :one',
  'size(h) < :5',
  'size(txt) > :5',
  'size(l0) = :0',
  'size(r) > size(c)',
  'contains(c, :3)',
  'contains(c, :12)',
  'contains(r, :9)',
  'contains(txt, :ord)',
  'begins_with(txt, :ord)',
  'begins_with(h, :7f)',
  // NOT binds tighter than AND, AND tighter than OR.
  'n5 = :5 OR n5 = :7 AND n5 = :10',
  'NOT n5 = :7 AND n10 = :10',
  'NOT (n5 = :7 OR n5 = :10)',
  '(n5 = :7 OR n5 = :5) AND (n10 = :10 AND (n5 = :5 OR n5 = :7))',
  'NOT NOT n5 = :5',
];

const DO_NOT_HOLD = [
  'n5 = :10',
  'n5 < :5',
  'n10 < :5',
  'n5 <> :5',
  'h < :7f',
  'h < :7fff',
  'h < :5',
  'txt < :5',
  'zz < :one',
  'zz > :one',
  'zz <= :one',
  'zz >= :one',
  'zz = :one',
  'zz < yy',
  'size(zz) < :one',
  'contains(zz, :one)',
  'zz BETWEEN :one AND :one',
  'zz IN (:one)',
  'attribute_exists(zz)',
  'attribute_exists(p.zz)',
  'attribute_exists(n5.zz)',
  'attribute_exists(r[3])',
  'p.q[1] < :5',
  'p.zz[1] < :5',
  'p.q = :other',
  'contains(c, :7f)',
  'contains(r, :7f)',
  'contains(txt, :5)',
  'contains(p, :txt)',
  'n5 BETWEEN :7 AND :10',
  '(n5 = :5 OR n5 = :7) AND n5 = :10',
  'NOT n5 = :5 OR n5 = :10',
  'r < n5',
];

const hold = HOLD.map((condition): ExpressionCase => conditionCase(condition, DONE));
const fail = DO_NOT_HOLD.map((condition): ExpressionCase => conditionCase(condition, REFUSED));

export const CONDITION_CASES: readonly ExpressionCase[] = [
  ...hold,
  ...fail,
  // The real table looks for a run of bytes in bytes, whatever its manual and its emulators say.
  { ...conditionCase('contains(h, :7f)', DONE), emulators: 'differ' },
  // Neither is one absent attribute equal to another, nor has a number a size.
  { ...conditionCase('zz <> yy', DONE), emulators: 'differ' },
  { ...conditionCase('NOT zz = yy', DONE), emulators: 'differ' },
  { ...conditionCase('zz = yy', REFUSED), emulators: 'differ' },
  { ...conditionCase('size(n5) < :10', REFUSED), emulators: 'differ' },
  { ...conditionCase('begins_with(txt, :7f)', REFUSED), emulators: 'differ' },
];

function conditionCase(condition: string, outcome: ExpressionCase['outcome']): ExpressionCase {
  const values = { ...VALUES, ':s3': N(3) };
  const used = new Set(condition.match(/:\w+/g));
  return {
    name: condition,
    item: ITEM,
    condition,
    values: Object.fromEntries(Object.entries(values).filter(([name]) => used.has(name))),
    outcome,
  };
}
