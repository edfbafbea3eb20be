/**
 * The store as `npm start` runs it, apart from the others since each opening starts a thread: in some files, as a
 * process that had started some hundred of them under the test runner now and then died.
 */
import { describeStoreContract, WRITING } from './store-contract.ts';
import { openFolderUnderTest } from './store-under-test.ts';

describeStoreContract(
  'a folder, written by a thread',
  () => openFolderUnderTest('worker'),
  WRITING,
);
