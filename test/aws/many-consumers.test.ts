/** A stream with as many stored offsets as it may have: what is beyond goes, and any page of them is found. */
import { expect, test } from 'vitest';
import { append, createStream, publish, STREAM, STREAM_ID } from '../contract/contract-steps.ts';
import { at, consumerName } from '../support/batches.ts';
import { openMemoryAws } from '../support/memory-aws.ts';

const COUNT = 100_000;
const nameOf = (n: number) => consumerName(`c${`${n}`.padStart(6, '0')}`);

test('C6: the two that were written first go from behind 100 000, and no other', async () => {
  const store = openMemoryAws();
  await createStream(store);
  await publish(store, append(['a']));
  for (let n = 0; n < COUNT; n++) {
    // Written in another order than that of their names.
    const m = { N: `${1 + ((n * 7_919) % COUNT)}` };
    const item = { k: { S: `O${STREAM_ID}` }, s: { S: `=${nameOf(n)}` }, o: { N: '1' }, m };
    await store.table.put({ item }, 'harmless');
  }
  const counter = { k: { S: `O${STREAM_ID}` }, s: { S: '!' }, c: { N: `${COUNT}` } };
  await store.table.put({ item: counter }, 'harmless');

  await store.log.tail(STREAM);
  for (const n of [COUNT, COUNT + 1]) {
    const change = { kind: 'raise', next: at(1), nowMs: store.clock.nowMs() } as const;
    await store.consumers.save(STREAM_ID, nameOf(n), change);
  }
  const { failed } = await store.maintenance.run(new AbortController().signal);

  expect([failed, store.told]).toEqual([0, []]);
  const page = (startAfter: string, limit: number) =>
    store.consumers.list(STREAM_ID, { prefix: '', startAfter, limit });
  const first = await page('', 2);
  expect(first.map(({ name }) => name)).toEqual([nameOf(1), nameOf(2)]);
  const middle = await page(nameOf(49_999), 1_000);
  expect(middle.map(({ name }) => name)).toEqual(
    Array.from({ length: 1_000 }, (_, index) => nameOf(50_000 + index)),
  );
  expect(await store.table.get({ k: `O${STREAM_ID}`, s: '!' })).toMatchObject({
    c: { N: `${COUNT}` },
  });
});
