/** What holds of conditions whatever is compared, and where the limits of an expression are. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Attribute } from '../../../lib/aws/table.ts';
import { compareText } from './attribute-order.ts';
import { KEY, KEY_ATTRIBUTES, N, S } from './expression-case.ts';
import { planWrite } from './plan-write.ts';

const OPPOSITES = { '=': '<>', '<': '>=', '>': '<=' } as const;
const scalar: fc.Arbitrary<Attribute> = fc.oneof(
  fc.maxSafeInteger().map(N),
  fc.string({ maxLength: 3 }).map(S),
  fc.uint8Array({ maxLength: 3 }).map((B) => ({ B })),
);

test('of two values of one type exactly one of less, equal and greater holds; of two types none', () => {
  fc.assert(
    fc.property(scalar, scalar, (a, b) => {
      const found = Object.keys(OPPOSITES).filter((comparator) =>
        holds(`a ${comparator} :b`, a, b),
      );

      expect(found).toHaveLength(typeName(a) === typeName(b) ? 1 : 0);
      for (const [one, other] of Object.entries(OPPOSITES)) {
        const isOrder = one !== '=' && typeName(a) !== typeName(b);
        expect(holds(`a ${other} :b`, a, b)).toBe(!found.includes(one) && !isOrder);
      }
    }),
  );
});

test('NOT turns every answer around', () => {
  fc.assert(
    fc.property(scalar, scalar, fc.constantFrom('=', '<>', '<', '<=', '>', '>='), (a, b, sign) => {
      expect(holds(`NOT a ${sign} :b`, a, b)).toBe(!holds(`a ${sign} :b`, a, b));
    }),
  );
});

test('text is in the order of its UTF-8 bytes', () => {
  // In JavaScript the second one is less: it begins with a surrogate.
  expect(compareText('\uff5e', '\u{1f600}')).toBeLessThan(0);
  expect(holds('a < :b', S('\uff5e'), S('\u{1f600}'))).toBe(true);
});

test('a condition may have 300 operators', () => {
  const terms = [...Array(150)].map(() => 'a <> :b').join(' AND ');

  expect(holds(`NOT ${terms}`, N(1), N(2))).toBe(false);
  expect(() => holds(`NOT ${terms} AND a <> :b`, N(1), N(2))).toThrow('300 operators');
});

test('a condition may have 4096 bytes', () => {
  const longest = 'a <> :b'.padEnd(4096);

  expect(holds(longest, N(1), N(2))).toBe(true);
  expect(() => holds(`${longest} `, N(1), N(2))).toThrow('maximum allowed size');
});

function holds(condition: string, a: Attribute, b: Attribute): boolean {
  const step = { kind: 'check', key: KEY, condition, values: { ':b': b } } as const;
  return planWrite(step, { ...KEY_ATTRIBUTES, a }).kind === 'write';
}

function typeName(value: Attribute): string {
  return Object.keys(value).join();
}
