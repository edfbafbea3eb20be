/** The one contract of stores, on S3 and DynamoDB as the emulator has them. */
import { awsStoreUnderTest } from '../../contract/aws-under-test.ts';
import { describeStoreContract } from '../../contract/store-contract.ts';
import { createAwsStore } from '../../support/aws-store.ts';

describeStoreContract('S3 and DynamoDB', async () => {
  const resources = await createAwsStore();
  const { table, objects } = resources.connect();
  return awsStoreUnderTest({ table, objects, close: () => resources.drop() });
});
