import { expect, test } from 'vitest';
import { bytesFrom, withoutFirst } from '../../lib/format/chunk-content.ts';
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
