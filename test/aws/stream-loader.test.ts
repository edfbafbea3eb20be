/** How streams are loaded and remembered by one process. */
import { expect, test } from 'vitest';
import type { Table } from '../../lib/aws/table.ts';
import { append, createStream, publish, STREAM } from '../contract/contract-steps.ts';
import { settle } from '../support/manual-clock.ts';
import { openMemoryAws } from '../support/memory-aws.ts';

/** Reads of a tail, each held back until it is let go. */
function holding() {
  const waiting: (() => void)[] = [];
  const table = (inner: Table): Table => ({
    ...inner,
    async get(key) {
      if (key.s !== 't') return await inner.get(key);
      await new Promise<void>((resolve) => waiting.push(resolve));
      return await inner.get(key);
    },
  });
  const letGo = async () => {
    waiting.shift()?.();
    await settle();
  };
  return { table, waiting, letGo };
}

test('LR2: a crowd that asks at the same time is answered by two reads', async () => {
  const store = openMemoryAws();
  await createStream(store);
  const { table, waiting, letGo } = holding();
  const reader = store.another({ table });
  const asked = Array.from({ length: 1_000 }, () => reader.log.tail(STREAM));
  await settle();
  expect(waiting).toHaveLength(1);
  await letGo();
  expect(waiting).toHaveLength(1);
  await letGo();

  expect(waiting).toEqual([]);
  expect((await Promise.all(asked)).map((state) => state?.next)).toEqual(Array(1_000).fill(0));
});

test('P8: who asks while a read is under way sees what was acknowledged before', async () => {
  const store = openMemoryAws();
  await createStream(store);
  const { table, letGo } = holding();
  const reader = store.another({ table });
  const first = reader.log.tail(STREAM);
  await settle();
  await publish(store, append(['a']));
  const second = reader.log.tail(STREAM);
  await letGo();
  await publish(store, append(['b']));
  await letGo();

  await first;
  expect((await second)?.next).toBeGreaterThanOrEqual(1);
  const third = reader.log.tail(STREAM);
  await settle();
  await letGo();
  expect((await third)?.next).toBe(2);
});

test('a read that fails is not shared with those who ask later', async () => {
  const store = openMemoryAws();
  await createStream(store);
  let fails = true;
  const reader = store.another({
    table: (inner) => ({
      ...inner,
      get: (key) => (fails ? Promise.reject(new Error('no answer')) : inner.get(key)),
    }),
  });
  const failing = [reader.log.tail(STREAM), reader.log.tail(STREAM)];
  await expect(failing[0]).rejects.toThrow('no answer');
  await expect(failing[1]).rejects.toThrow('no answer');
  fails = false;

  expect(await reader.log.tail(STREAM)).toMatchObject({ next: 0 });
});
