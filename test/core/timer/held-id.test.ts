import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dueMsOf, heldId, heldIdAfter, parseHeldId } from '../../../lib/core/timer/held-id.ts';

const times = fc.integer({ min: 0, max: 2 ** 48 - 2 });
const arrivals = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n });
const hex = (number: bigint) => number.toString(16).padStart(32, '0');

test('L4: ids sort by when they are due, then by when they came', () => {
  const ids = fc.tuple(times, arrivals);
  fc.assert(
    fc.property(ids, ids, ([dueA, cameA], [dueB, cameB]) => {
      const isBefore = dueA < dueB || (dueA === dueB && cameA < cameB);
      expect(heldId(dueA, hex(cameA)) < heldId(dueB, hex(cameB))).toBe(isBefore);
    }),
  );
});

test('L4: what is due by a time is what sorts below it', () => {
  fc.assert(
    fc.property(times, times, arrivals, (dueMs, nowMs, came) => {
      const id = heldId(dueMs, hex(came));
      expect(id < heldIdAfter(nowMs)).toBe(dueMs <= nowMs);
      expect([dueMsOf(id), parseHeldId(id)]).toEqual([dueMs, id]);
    }),
  );
});

test.each(['', '0', 'x'.repeat(44), '0'.repeat(43), '0'.repeat(45), 'A'.repeat(44)])(
  'L10: %j is no id',
  (text) => {
    expect(parseHeldId(text)).toBeUndefined();
  },
);
