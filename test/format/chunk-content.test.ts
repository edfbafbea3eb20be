import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesFrom, withoutFirst, withoutLeftOut } from '../../lib/format/chunk-content.ts';
import { batchOf } from '../support/batches.ts';

const BATCH = { ...batchOf('a', 'bb', 'ccc'), jsonChecked: true };

test.each([
  [0, 6],
  [1, 5],
  [2, 3],
])('D4: from message %d on there are %d bytes', (index, bytes) => {
  expect(bytesFrom(BATCH, index)).toBe(bytes);
});

test('D4: without its first messages a batch is the rest of it', () => {
  expect(withoutFirst(BATCH, 2)).toEqual({ ...batchOf('ccc'), jsonChecked: true });
  expect(withoutFirst(BATCH, 1)).toEqual({ ...batchOf('bb', 'ccc'), jsonChecked: true });
  expect(withoutFirst(BATCH, 0)).toBe(BATCH);
});

test('M3 D4: without duplicates a batch is what is left, wherever they stood', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.string(), fc.boolean()), { minLength: 1 }),
      fc.nat(5),
      (messages, front) => {
        const known = (index: number) => index < front || messages[index]?.[1] === true;
        const byValue = [...messages.keys()].filter((index) => index >= front && known(index));
        const first = Math.min(front, messages.length);
        const left = { duplicates: first + byValue.length, byValue };

        const batch = batchOf(...messages.map(([body]) => body));
        const rest = messages.filter((_, index) => !known(index)).map(([body]) => body);
        expect(withoutLeftOut(batch, left)).toEqual(batchOf(...rest));
      },
    ),
  );
});
