/** The stage that is deployed: where it is, and what it is made of. Told to the tests by their environment. */
import process from 'node:process';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { GetFunctionUrlConfigCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { type Credentials, createUser, ownerOf } from './account.ts';

export const STACK = 'varve-local';
export const FUNCTIONS = ['api', 'deliver', 'gateway', 'maintain'] as const;

export interface Stage {
  /** Of the emulator, with all its services. */
  readonly endpoint: string;
  /** Each with what its paths begin with there. */
  readonly functionUrl: string;
  readonly httpApiUrl: string;
  readonly bucket: string;
  readonly table: string;
  /** Has the policy for clients and nothing else. */
  readonly client: Credentials;
}

const VARIABLE = 'VARVE_TEST_STAGE';

export const stageVariable = (stage: Stage) => ({ [VARIABLE]: JSON.stringify(stage) });

export function stageOfRun(): Stage {
  const text = process.env[VARIABLE];
  if (text === undefined) throw new Error('there is no stage: run `npm run test:deployed`');
  return JSON.parse(text);
}

export async function describeStage(endpoint: string): Promise<Stage> {
  const owner = ownerOf(endpoint);
  const outputs = await stackOutputs(endpoint);
  const output = (name: string) => {
    const value = outputs.get(name);
    if (value === undefined) throw new Error(`the stack has no output ${name}`);
    return value;
  };
  const { FunctionUrl = '' } = await new LambdaClient(owner).send(
    new GetFunctionUrlConfigCommand({ FunctionName: `${STACK}-api` }),
  );
  return {
    endpoint,
    functionUrl: `${endpoint}/_aws/lambda-url/${firstLabel(FunctionUrl)}`,
    httpApiUrl: `${endpoint}/_aws/execute-api/${firstLabel(output('HttpApiUrl'))}`,
    bucket: output('BucketName'),
    table: output('TableName'),
    client: await createUser(endpoint, 'client', [output('ClientPolicyArn')]),
  };
}

async function stackOutputs(endpoint: string): Promise<ReadonlyMap<string, string>> {
  const { Stacks = [] } = await new CloudFormationClient(ownerOf(endpoint)).send(
    new DescribeStacksCommand({ StackName: STACK }),
  );
  const outputs = Stacks[0]?.Outputs ?? [];
  return new Map(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
}

/** Names of hosts do not lead to an emulator: it takes the part that is its own as a step of the path. */
function firstLabel(url: string): string {
  return new URL(url).hostname.split('.')[0] ?? '';
}
