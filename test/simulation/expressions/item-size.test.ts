/** Sizes that were found by padding items on a table until they cost one unit more. */
import { expect, test } from 'vitest';
import type { Attribute, Item } from '../../../lib/aws/table.ts';
import { L, M, N, S } from './expression-case.ts';
import { itemBytes } from './item-size.ts';

const bytes = (length: number): Attribute => ({ B: new Uint8Array(length) });

test.each([
  [0, 0, 152],
  [0, 1, 192],
  [0, 8, 472],
  [8, 0, 336],
  [16, 0, 520],
  [16, 8, 840],
  [16, 12, 1000],
  [16, 13, 1040],
  [16, 64, 3080],
])('a tail with %i refs and %i publishers has %i bytes', (refs, publishers, size) => {
  expect(itemBytes(tail(refs, publishers))).toBe(size);
});

test.each<[name: string, value: Attribute, size: number]>([
  ['no digit at all', N(0), 1],
  ['one digit', N(7), 2],
  ['a sign', N(-7), 3],
  ['zeros at the end', N(1_700_000), 2],
  ['an odd number of digits', N(12_345), 4],
  ['sixteen digits', N(Number.MAX_SAFE_INTEGER), 9],
  ['text beyond ASCII', S('é€'), 5],
  ['an empty list', L(), 3],
  ['an empty map', M({}), 3],
  ['a map', M({ ab: N(7) }), 3 + 1 + 2 + 2],
  ['a list of lists', L(L(N(7))), 3 + 1 + 3 + 1 + 2],
  ['a set', { BS: [new Uint8Array(16), new Uint8Array(16)] }, 32],
])('%s', (_name, value, size) => {
  expect(itemBytes({ a: value })).toBe(1 + size);
});

function tail(refs: number, publishers: number): Item {
  const entries = Array.from({ length: publishers }, (_, index) => [
    String(index).padStart(16, '0'),
    L(N(1_234_567_791), N(1_000_003), N(0), bytes(4)),
  ]);
  return {
    k: S('T=orders-eu1'),
    s: S('t'),
    i: bytes(16),
    e: N(12),
    n: L(N(1_234_567_891)),
    b: N(1_234_567_091),
    a: N(1_700_000_000_123),
    l: N(1_234_567_791),
    t: N(1_200_000_001),
    y: N(1_234_567_890_123),
    h: bytes(16),
    r: L(...Array.from({ length: refs }, () => bytes(22))),
    p: M(Object.fromEntries(entries)),
    v: N(7),
    g: L(N(18_345), N(1_234_512_345_678), N(1_700_000_000_123)),
    j: N(17),
    w: N(12_345),
    x: N(0),
    z: N(0),
  };
}
