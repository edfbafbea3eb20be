/** Who may ask the stage, and what its functions may do: IAM decides both, by the statements of infra/. */

import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetRolePolicyCommand, IAMClient, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { expect, onTestFinished, test } from 'vitest';
import { createStream, numbered, publish } from '../../../support/publish-steps.ts';
import { createUrlApi } from '../../../support/url-api.ts';
import { createUser, ownerOf, REGION } from '../account.ts';
import { STACK, stageOfRun } from '../stage.ts';
import { functionUrlApi } from '../stage-api.ts';

const { endpoint, functionUrl, httpApiUrl, client, table, bucket } = stageOfRun();
const owner = ownerOf(endpoint);

test.each([
  ['Function URL', functionUrl],
  ['HTTP API', httpApiUrl],
])('a request that nobody signed is refused by the %s', async (_front, url) => {
  const api = createUrlApi({ url });

  expect((await api.call('GET /v1/streams')).status).toBe(403);
  expect((await api.call('PUT /v1/streams/s')).status).toBe(403);
  await api.close();
});

test('a request signed with another secret is refused', async () => {
  const api = functionUrlApi({ ...client, secretAccessKey: 'x'.repeat(40) });

  expect((await api.call('GET /v1/streams')).status).toBe(403);
});

test('a request of somebody without the policy for clients is refused', async () => {
  const api = functionUrlApi(await createUser(endpoint, 'stranger', []));

  expect((await api.call('GET /v1/streams')).status).toBe(403);
});

test('the policy for clients is enough for the API, and for nothing else', async () => {
  const api = functionUrlApi();
  await createStream(api);
  expect((await publish(api, numbered(3))).status).toBe(200);

  const asClient = { endpoint, region: REGION, credentials: client };
  const denied = /AccessDenied/;
  const lists = new S3Client({ ...asClient, forcePathStyle: true }).send(
    new ListObjectsV2Command({ Bucket: bucket }),
  );
  await expect(lists).rejects.toMatchObject({ name: expect.stringMatching(denied) });
  const drops = new DynamoDBClient(asClient).send(new DeleteTableCommand({ TableName: table }));
  await expect(drops).rejects.toMatchObject({ name: expect.stringMatching(denied) });
});

test.each([
  ['s3:PutObject', 'POST /v1/streams/s/messages', { messages: numbered(1) }],
  ['dynamodb:Query', 'GET /v1/streams', undefined],
  ['dynamodb:UpdateItem', 'POST /v1/streams/s/messages', { messages: numbered(1) }],
])('without %s in its role the function fails: %s', async (action, line, body) => {
  const api = functionUrlApi();
  await createStream(api);
  const call = { ...(body && { body }) };
  expect((await api.call(line, call)).status).toBe(200);

  await withoutAction('api', action, async () => {
    expect((await api.call(line, call)).status).toBeGreaterThanOrEqual(500);
  });
  expect((await api.call(line, call)).status).toBe(200);
});

interface Statement {
  readonly Action: string | readonly string[];
}

/** Takes one action out of all statements of the role of a function while something is tried. */
async function withoutAction(
  name: string,
  action: string,
  run: () => Promise<void>,
): Promise<void> {
  const iam = new IAMClient(owner);
  const { Role = '' } = await new LambdaClient(owner).send(
    new GetFunctionConfigurationCommand({ FunctionName: `${STACK}-${name}` }),
  );
  const policy = { RoleName: Role.replace(/^.*\//, ''), PolicyName: name };
  const { PolicyDocument: encoded = '' } = await iam.send(new GetRolePolicyCommand(policy));
  const whole = decodeURIComponent(encoded);
  const document: { Statement: readonly Statement[] } = JSON.parse(whole);
  const statements = document.Statement.map((statement) => {
    return { ...statement, Action: [statement.Action].flat().filter((one) => one !== action) };
  });
  const less = JSON.stringify({
    ...document,
    Statement: statements.filter(({ Action }) => Action.length > 0),
  });
  const put = (PolicyDocument: string) =>
    iam.send(new PutRolePolicyCommand({ ...policy, PolicyDocument }));
  onTestFinished(async () => void (await put(whole)));
  await put(less);
  await run();
  await put(whole);
}
