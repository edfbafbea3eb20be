/** Removing the stage leaves nothing behind. The last of all: there is no stage after it. */
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { IAMClient, ListPoliciesCommand, ListRolesCommand } from '@aws-sdk/client-iam';
import { LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { ownerOf } from './account.ts';
import { openBucket } from './bucket.ts';
import { osls } from './osls.ts';
import { FUNCTIONS, STACK, stageOfRun } from './stage.ts';

const { endpoint, bucket, table } = stageOfRun();
const owner = ownerOf(endpoint);

/** The names of what is there and belongs to the stage. */
async function standing() {
  const functions = await new LambdaClient(owner).send(new ListFunctionsCommand({}));
  const buckets = await new S3Client({ ...owner, forcePathStyle: true }).send(
    new ListBucketsCommand({}),
  );
  const tables = await new DynamoDBClient(owner).send(new ListTablesCommand({}));
  const iam = new IAMClient(owner);
  const roles = await iam.send(new ListRolesCommand({}));
  const policies = await iam.send(new ListPoliciesCommand({ Scope: 'Local' }));
  const isOurs = (name = '') => name.startsWith(STACK);
  return {
    functions: (functions.Functions ?? []).map(({ FunctionName }) => FunctionName).filter(isOurs),
    buckets: (buckets.Buckets ?? []).map(({ Name }) => Name).filter(isOurs),
    tables: (tables.TableNames ?? []).filter(isOurs),
    roles: (roles.Roles ?? []).map(({ RoleName }) => RoleName).filter(isOurs),
    policies: (policies.Policies ?? []).map(({ PolicyName }) => PolicyName).filter(isOurs),
  };
}

test('removing the stage leaves nothing of it', async () => {
  const before = await standing();
  expect(before).toMatchObject({
    functions: expect.arrayContaining(FUNCTIONS.map((name) => `${STACK}-${name}`)),
    buckets: expect.arrayContaining([bucket]),
    tables: [table],
    roles: { length: 3 },
  });

  await openBucket().empty();
  await osls('remove', endpoint);

  const nothing = Object.fromEntries(Object.keys(before).map((kind) => [kind, []]));
  expect(await standing()).toEqual(nothing);
  const stack = new CloudFormationClient(owner).send(
    new DescribeStacksCommand({ StackName: STACK }),
  );
  await expect(stack).rejects.toThrow(/does not exist/);
});
