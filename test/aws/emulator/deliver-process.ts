/** The function that releases held messages as the runtime calls it, again and again, in a process that a test may kill. */
import { handler } from '../../../functions/deliver.ts';

const CONTEXT = {
  awsRequestId: 'test',
  callbackWaitsForEmptyEventLoop: false,
  getRemainingTimeInMillis: () => 20_000,
};

for (;;) {
  await handler({}, CONTEXT);
  // So that what is due at any time is seen, as if many were called.
  await new Promise((resolve) => setTimeout(resolve, 200));
}
