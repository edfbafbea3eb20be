/** What holds of updates whatever lists, sets and orders they are about. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Attribute, Item } from '../../../lib/aws/table.ts';
import { KEY, KEY_ATTRIBUTES, L, N } from './expression-case.ts';
import { planWrite } from './plan-write.ts';

const numbers = fc.array(fc.nat(99), { maxLength: 12 });
const positions = fc.uniqueArray(fc.nat(15), { minLength: 1, maxLength: 10 });
const members = fc.uniqueArray(fc.uint8Array({ minLength: 1, maxLength: 2 }), {
  minLength: 1,
  maxLength: 8,
  selector: hex,
});

test('removed positions are those before the update, in whatever order they are named', () => {
  fc.assert(
    fc.property(numbers, positions, (list, removed) => {
      const update = `REMOVE ${removed.map((index) => `r[${index}]`).join(', ')}`;

      const left = list.filter((_, index) => !removed.includes(index));
      expect(after({ r: listOf(list) }, update)['r']).toEqual(listOf(left));
    }),
  );
});

test('what is set at a position stays with what stood there, or comes last in the order of positions', () => {
  fc.assert(
    fc.property(numbers, positions, positions, (list, written, others) => {
      const removed = others.filter((index) => !written.includes(index));
      const sets = written.map((index) => `r[${index}] = :n`).join(', ');
      const removes = removed.map((index) => `r[${index}]`).join(', ');
      const update = `SET ${sets}${removes === '' ? '' : ` REMOVE ${removes}`}`;

      const kept = list.flatMap((number, index) => {
        if (written.includes(index)) return [100];
        return removed.includes(index) ? [] : [number];
      });
      const appended = written.filter((index) => index >= list.length).map(() => 100);
      const r = after({ r: listOf(list) }, update, { ':n': N(100) })['r'];
      expect(r).toEqual(listOf([...kept, ...appended]));
    }),
  );
});

test('a set gains and loses members as a set does, and is no attribute when it is empty', () => {
  fc.assert(
    fc.property(members, members, members, (start, added, deleted) => {
      const item = after({ c: { BS: start } }, 'ADD c :s', { ':s': { BS: added } });
      const left = after(item, 'DELETE c :s', { ':s': { BS: deleted } });

      const gained = new Set([...start, ...added].map(hex));
      for (const member of deleted) gained.delete(hex(member));
      expect(setIn(left)).toEqual([...gained].sort());
      expect('c' in left).toBe(gained.size > 0);
    }),
  );
});

test('right sides see the item before, in whatever order the assignments stand', () => {
  const assignments = ['a = b', 'b = a + :n', 'r[0] = r[1]', 'r[1] = r[0]', 'z = r'];
  const item = { a: N(1), b: N(2), r: listOf([7, 8]) };
  const order = fc.shuffledSubarray(assignments, { minLength: assignments.length });
  fc.assert(
    fc.property(order, (shuffled) => {
      expect(after(item, `SET ${shuffled.join(', ')}`, { ':n': N(10) })).toEqual({
        ...KEY_ATTRIBUTES,
        a: N(2),
        b: N(11),
        r: listOf([8, 7]),
        z: listOf([7, 8]),
      });
    }),
  );
});

test('sums and differences of safe integers are exact', () => {
  const safe = fc.maxSafeInteger();
  fc.assert(
    fc.property(safe, safe, (a, b) => {
      const item = after({ a: N(a) }, 'SET p = a + :b, q = a - :b', { ':b': N(b) });

      expect(item['p']).toEqual({ N: String(BigInt(a) + BigInt(b)) });
      expect(item['q']).toEqual({ N: String(BigInt(a) - BigInt(b)) });
    }),
  );
});

test('the item that was there is not changed', () => {
  const before = { ...KEY_ATTRIBUTES, r: listOf([1, 2]), c: { BS: [Uint8Array.of(1)] } };
  const copy = structuredClone(before);

  after(before, 'SET r[0] = :n REMOVE r[1] ADD c :s', {
    ':n': N(9),
    ':s': { BS: [Uint8Array.of(2)] },
  });

  expect(before).toEqual(copy);
});

function after(item: Item, update: string, values: { [name: string]: Attribute } = {}): Item {
  const step = { kind: 'update', key: KEY, update, values } as const;
  const plan = planWrite(step, { ...KEY_ATTRIBUTES, ...item });
  if (plan.kind === 'write' && plan.after !== undefined) return plan.after;
  throw new Error('no item after an update');
}

function listOf(list: readonly number[]): Attribute {
  return L(...list.map(N));
}

function setIn({ c }: Item): readonly string[] {
  return c !== undefined && 'BS' in c ? c.BS.map(hex).sort() : [];
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
