/** Every store that this repository has, held to the one contract. */
import { openAwsInMemoryUnderTest, openAwsPairUnderTest } from './aws-under-test.ts';
import { describeStoreContract } from './store-contract.ts';
import {
  openFolderUnderTest,
  openMemoryUnderTest,
  openReferenceUnderTest,
} from './store-under-test.ts';

describeStoreContract('the reference', openReferenceUnderTest);
describeStoreContract('a database in memory', openMemoryUnderTest);
describeStoreContract('a folder, written inline', () => openFolderUnderTest('inline'));
describeStoreContract('objects and a table in memory', openAwsInMemoryUnderTest);
describeStoreContract('P8: a pair of processes', openAwsPairUnderTest);
