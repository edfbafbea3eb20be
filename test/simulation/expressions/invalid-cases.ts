/** What the real table does not even look at; several of these an emulator takes. */
import type { Item } from '../../../lib/aws/table.ts';
import { BS, type ExpressionCase, invalid, L, M, N, S } from './expression-case.ts';

const ITEM: Item = {
  nn: N(5),
  txt: S('x'),
  r: L(N(0), N(1)),
  p: M({ q: L(N(7), N(5)) }),
  c: BS([1]),
};
const MANY = Array.from({ length: 151 }, () => 'nn <> :n').join(' AND ');

type Invalid = Pick<ExpressionCase, 'update' | 'condition' | 'names' | 'values' | 'emulators'> & {
  readonly says: RegExp;
};

const X = { ':x': L(N(1)) };
const ONE = { ':n': N(1) };

const UPDATES: readonly Invalid[] = [
  {
    update: 'SET r = list_append(r, :x) REMOVE r[0]',
    values: X,
    says: /overlap/,
    emulators: 'differ',
  },
  {
    update: 'SET p.q = :x, p.q[1] = :n',
    values: { ...X, ...ONE },
    says: /overlap/,
    emulators: 'differ',
  },
  { update: 'SET #c.#k = :n REMOVE #c.#k', values: ONE, says: /overlap/, emulators: 'differ' },
  { update: 'SET #c.#k = :n, #c = :n', values: ONE, says: /overlap/, emulators: 'differ' },
  {
    update: 'SET #a = :n, #b = :n',
    names: { '#a': 'q', '#b': 'q' },
    values: ONE,
    says: /overlap/,
    emulators: 'differ',
  },
  { update: 'REMOVE r[0], r[0]', says: /overlap/, emulators: 'differ' },
  { update: 'SET p.z = :n, p[1] = :n', values: ONE, says: /conflict/, emulators: 'differ' },
  {
    update: 'ADD c :a DELETE c :d',
    values: { ':a': BS([2]), ':d': BS([1]) },
    says: /overlap/,
    emulators: 'differ',
  },
  { update: 'SET p.zz[1] = :n', values: ONE, says: /document path/ },
  { update: 'SET p.zz.i = :n', values: ONE, says: /document path/ },
  { update: 'SET zz.i = :n', values: ONE, says: /document path/ },
  { update: 'SET r.i = :n', values: ONE, says: /document path/ },
  { update: 'SET p[0] = :n', values: ONE, says: /document path/, emulators: 'differ' },
  { update: 'REMOVE zz.i', says: /document path/, emulators: 'differ' },
  { update: 'REMOVE txt.i', says: /document path/, emulators: 'differ' },
  { update: 'SET nn = zz', says: /does not exist/ },
  { update: 'SET nn = zz + :n', values: ONE, says: /does not exist/ },
  { update: 'SET r = list_append(zz, :x)', values: X, says: /does not exist/ },
  { update: 'SET nn = txt + :n', values: ONE, says: /incorrect data type/, emulators: 'differ' },
  { update: 'SET nn = nn + :x', values: X, says: /operand type/, emulators: 'differ' },
  { update: 'SET r = list_append(r, :n)', values: ONE, says: /operand type/, emulators: 'differ' },
  {
    update: 'SET r = list_append(r, list_append(:x, p.q))',
    values: X,
    says: /list_append/,
    emulators: 'differ',
  },
  {
    update: 'SET nn = if_not_exists(:n, :n)',
    values: ONE,
    says: /document path/,
    emulators: 'differ',
  },
  { update: 'SET nn = nn + :n + :n', values: ONE, says: /Syntax error/, emulators: 'differ' },
  { update: 'SET nn = (nn + :n)', values: ONE, says: /Syntax error/, emulators: 'differ' },
  { update: 'SET z = [nn]', says: /Syntax error/, emulators: 'differ' },
  { update: 'SET z = f(nn, nn)', says: /function/ },
  { update: 'SET z = :n SET y = :n', values: ONE, says: /only be used once/, emulators: 'differ' },
  { update: 'SET z = :n,', values: ONE, says: /Syntax error/, emulators: 'differ' },
  { update: 'SET :n = nn', values: ONE, says: /Syntax error/, emulators: 'differ' },
  { update: 'SET r[:n] = nn', values: ONE, says: /Syntax error/, emulators: 'differ' },
  { update: 'PUT z = nn', says: /Syntax error/ },
  { update: '', says: /empty/ },
  { update: 'ADD txt :n', values: ONE, says: /incorrect data type/ },
  { update: 'ADD nn :x', values: X, says: /operand type/ },
  { update: 'DELETE c :n', values: ONE, says: /operand type/ },
  {
    update: 'DELETE nn :s',
    values: { ':s': BS([1]) },
    says: /incorrect data type/,
  },
  { update: 'ADD p.z :n', values: ONE, says: /top-level/, emulators: 'differ' },
  { update: 'SET c = :s', values: { ':s': { BS: [] } }, says: /may not be empty/ },
  { update: 'SET c = :s', values: { ':s': BS([1], [1]) }, says: /duplicates/ },
  {
    update: 'SET z = :l',
    values: { ':l': L(M({ s: { BS: [] } })) },
    says: /may not be empty/,
  },
  {
    update: 'SET z = :n',
    values: { ':n': N('1'.repeat(39)) },
    says: /38 significant digits/,
  },
  { update: 'SET z = :n', values: { ':n': N('seven') }, says: /number/ },
  { update: 'SET z = :n', values: { ...ONE, ':m': N(2) }, says: /unused.*:m/ },
  { update: 'SET z = :n', names: { '#m': 'm' }, values: ONE, says: /unused.*#m/ },
  { update: 'SET z = :n', says: /not defined.*:n/ },
  { update: 'SET #z = :n', names: { '#z': '' }, values: ONE, says: /empty/, emulators: 'differ' },
  { update: 'SET k = :n', values: ONE, says: /part of the key/ },
  { update: 'SET #s = :n', values: ONE, says: /part of the key/ },
  { update: 'REMOVE s', says: /part of the key/ },
  { update: 'SET size = :n', values: ONE, says: /reserved/, emulators: 'differ' },
  ...['next', 'last', 'start', 'base', 'end', 'count', 'STATE'].map(
    (word): Invalid => ({
      update: `SET ${word} = :n`,
      values: ONE,
      says: /reserved/,
    }),
  ),
  { update: `SET z = nn${' '.repeat(4087)}`, says: /size/ },
];

const CONDITIONS: readonly Invalid[] = [
  { condition: MANY, values: ONE, says: /300 operators/, emulators: 'differ' },
  { condition: `nn <> :n${' '.repeat(4090)}`, values: ONE, says: /size/ },
  { condition: ' ', says: /empty/ },
  { condition: 'nn', says: /Syntax error/ },
  { condition: 'nn = ', says: /Syntax error/ },
  { condition: 'nn = :n AND', values: ONE, says: /Syntax error/ },
  { condition: '(nn = :n', values: ONE, says: /Syntax error/ },
  { condition: 'nn == :n', values: ONE, says: /Syntax error/ },
  { condition: 'nn @ :n', values: ONE, says: /Syntax error/, emulators: 'differ' },
  { condition: '((nn = :n))', values: ONE, says: /redundant/ },
  { condition: 'nn < :x', values: X, says: /operand type/, emulators: 'differ' },
  {
    condition: 'nn BETWEEN :a AND :b',
    values: { ':a': N(2), ':b': N(1) },
    says: /BETWEEN/,
  },
  { condition: 'nn = nn', says: /distinct/, emulators: 'differ' },
  { condition: 'begins_with(txt, :n)', values: ONE, says: /operand type/ },
  { condition: 'size(nn)', says: /not allowed/ },
  { condition: 'size(r, r) = :n', values: ONE, says: /number of operands/ },
  {
    condition: 'attribute_exists(nn) = :n',
    values: ONE,
    says: /Syntax error/,
  },
  { condition: 'attribute_exists(:n)', values: ONE, says: /document path/ },
  { condition: 'if_not_exists(nn, nn) = :n', values: ONE, says: /function/ },
  { condition: 'nn = :m', says: /not defined.*:m/ },
  { condition: 'nn = :n', values: { ...ONE, ':m': N(2) }, says: /unused.*:m/, emulators: 'differ' },
  { condition: 'token = :n', values: ONE, says: /reserved/ },
];

export const INVALID_CASES: readonly ExpressionCase[] = [...UPDATES, ...CONDITIONS].map(
  ({ says, ...rest }) => ({
    name: (rest.update ?? rest.condition ?? '').slice(0, 60),
    item: ITEM,
    ...rest,
    outcome: invalid(says),
  }),
);
