/** The store as `npm start` runs it, apart from the others since each opening starts a thread. */
import { describeStoreContract } from './store-contract.ts';
import { openFolderUnderTest } from './store-under-test.ts';

describeStoreContract('a folder, written by a thread', () => openFolderUnderTest('worker'));
