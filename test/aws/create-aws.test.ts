/** Making the gateway costs nothing until it is used. */
import { expect, test } from 'vitest';
import { createOfflineAws } from '../support/offline-aws.ts';

test('clients are made by the first request of each service, once', async () => {
  let made = 0;
  const aws = createOfflineAws({
    wrapHandler: (handler) => {
      made++;
      return handler;
    },
  });
  expect(made).toBe(0);

  await aws.table.get({ k: 'k', s: 's' });
  await aws.table.get({ k: 'k', s: 's' });
  expect(made).toBe(1);

  await aws.objects.put('a', new Uint8Array([1]));
  expect(made).toBe(2);
});

test('closing what was never used is fine', () => {
  expect(() => createOfflineAws().close()).not.toThrow();
});
