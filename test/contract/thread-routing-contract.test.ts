/** What the store as `npm start` runs it keeps of exchanges. */
import { describeStoreContract, ROUTING } from './store-contract.ts';
import { openFolderUnderTest } from './store-under-test.ts';

describeStoreContract(
  'a folder, written by a thread',
  () => openFolderUnderTest('worker'),
  ROUTING,
);
