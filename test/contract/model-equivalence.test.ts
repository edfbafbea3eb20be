/** Whatever is done to a store, it answers and afterwards shows what the reference does. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createReferenceStore } from './reference-store.ts';
import { command, observe, perform, type Run } from './store-commands.ts';
import { type OpenStore, openFolderUnderTest, openMemoryUnderTest } from './store-under-test.ts';

const STORES: readonly (readonly [name: string, open: OpenStore, numRuns: number])[] = [
  ['a database in memory', openMemoryUnderTest, 100],
  ['a folder, written inline', () => openFolderUnderTest('inline'), 30],
  ['a folder, written by a thread', () => openFolderUnderTest('worker'), 10],
];

test.each(STORES)('P1: %s is equal to the reference', async (_name, open, numRuns) => {
  const histories = fc.array(command, { minLength: 1, maxLength: 40 });
  const property = fc.asyncProperty(histories, async (history) => {
    const reference: Run = { store: createReferenceStore(), created: 0 };
    const subject: Run = { store: await open(), created: 0 };
    try {
      for (const step of history) {
        expect(await perform(subject, step)).toEqual(await perform(reference, step));
        expect(await observe(subject.store)).toEqual(await observe(reference.store));
      }
    } finally {
      await subject.store.close();
    }
  });
  await fc.assert(property, { numRuns });
});
