/** The scheduled function as the runtime calls it, again and again, in a process that a test may kill. */
import { handler } from '../../../functions/maintain.ts';

const CONTEXT = {
  awsRequestId: 'test',
  callbackWaitsForEmptyEventLoop: false,
  getRemainingTimeInMillis: () => 20_000,
};

for (;;) await handler({}, CONTEXT);
