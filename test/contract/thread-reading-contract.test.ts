/** More of the contract of the store as `npm start` runs it. */
import { describeStoreContract, READING } from './store-contract.ts';
import { openFolderUnderTest } from './store-under-test.ts';

describeStoreContract(
  'a folder, written by a thread',
  () => openFolderUnderTest('worker'),
  READING,
);
