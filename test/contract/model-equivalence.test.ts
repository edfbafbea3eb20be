/** Whatever is done to a store, it answers and afterwards shows what the reference does. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openAwsInMemoryUnderTest, openAwsPairUnderTest } from './aws-under-test.ts';
import {
  beginExchangeRun,
  exchangeCommand,
  observeExchanges,
  performExchange,
} from './exchange-commands.ts';
import { createReferenceStore } from './reference-store.ts';
import { beginRun, command, commandOfMany, perform } from './store-commands.ts';
import { observe } from './store-observation.ts';
import { type OpenStore, openFolderUnderTest, openMemoryUnderTest } from './store-under-test.ts';

const STORES: readonly (readonly [name: string, open: OpenStore, numRuns: number])[] = [
  ['a database in memory', openMemoryUnderTest, 100],
  ['a folder, written inline', () => openFolderUnderTest('inline'), 30],
  ['a folder, written by a thread', () => openFolderUnderTest('worker'), 10],
  ['objects and a table in memory', openAwsInMemoryUnderTest, 100],
];

test.each(STORES)('P1: %s is equal to the reference', async (_name, open, numRuns) => {
  await fc.assert(equivalence(open, command), { numRuns });
});

test('P1 P8: a pair of processes on objects and a table is equal to the reference', async () => {
  await fc.assert(equivalence(openAwsPairUnderTest, commandOfMany), { numRuns: 100 });
});

test.each([...STORES, ['a pair of processes', openAwsPairUnderTest, 100] as const])(
  'X2 X7 X9 T13: exchanges of %s are equal to those of the reference',
  async (_name, open, numRuns) => {
    const histories = fc.array(exchangeCommand, { maxLength: 60, size: 'max' });
    const property = fc.asyncProperty(histories, async (history) => {
      const reference = beginExchangeRun(createReferenceStore());
      const subject = beginExchangeRun(await open());
      try {
        for (const step of history) {
          const expected = await performExchange(reference, step);
          expect(await performExchange(subject, step)).toEqual(expected);
          expect(await observeExchanges(subject)).toEqual(await observeExchanges(reference));
        }
      } finally {
        await subject.store.close();
      }
    });
    await fc.assert(property, { numRuns });
  },
);

function equivalence(open: OpenStore, steps: typeof command) {
  const histories = fc.array(steps, { minLength: 1, maxLength: 40 });
  return fc.asyncProperty(histories, async (history) => {
    const reference = beginRun(createReferenceStore());
    const subject = beginRun(await open());
    try {
      for (const step of history) {
        expect(await perform(subject, step)).toEqual(await perform(reference, step));
        expect(await observe(subject.store)).toEqual(await observe(reference.store));
      }
    } finally {
      await subject.store.close();
    }
  });
}
