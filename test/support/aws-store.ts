/**
 * A bucket and a table of their own for a test file, in the emulator at AWS_ENDPOINT_URL; the table in
 * another one if AWS_ENDPOINT_URL_DYNAMODB names it.
 */
import { randomUUID } from 'node:crypto';
import process from 'node:process';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, DeleteBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { type Aws, type AwsOptions, createAws } from '../../lib/aws/create-aws.ts';
import { createPrometheusMeter } from '../../lib/http/prometheus-meter.ts';
import { createSystemClock } from '../../lib/process/system-clock.ts';
import { createSystemRandom } from '../../lib/process/system-random.ts';

export interface AwsStore extends AsyncDisposable {
  readonly bucket: string;
  readonly table: string;
  /** Another process on the same bucket and table, closed with them. */
  connect(options?: Partial<AwsOptions>): Aws;
  /** Removes both with all that is in them. */
  drop(): Promise<void>;
}

const TEST_REGION = 'us-east-1';
/** An emulator takes any; no test may ever find those of a real account. */
const TEST_CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' };

export async function createAwsStore(): Promise<AwsStore> {
  const name = `varve-test-${randomUUID()}`;
  const endpoint = emulatorUrl();
  const dynamodbEndpoint = process.env['AWS_ENDPOINT_URL_DYNAMODB'] ?? endpoint;
  const settings = { region: TEST_REGION, endpoint, credentials: TEST_CREDENTIALS };
  const dynamodb = new DynamoDBClient({ ...settings, endpoint: dynamodbEndpoint });
  const s3 = new S3Client({ ...settings, forcePathStyle: true });
  await createTable(dynamodb, name);
  await s3.send(new CreateBucketCommand({ Bucket: name }));

  const open: Aws[] = [];
  const connect: AwsStore['connect'] = (options) => {
    const meter = createPrometheusMeter();
    const [clock, random] = [createSystemClock(), createSystemRandom()];
    const resources = { bucket: name, table: name, meter, clock, random };
    const aws = createAws({ ...settings, dynamodbEndpoint, ...resources, ...options });
    open.push(aws);
    return aws;
  };
  const drop = async () => {
    await emptyBucket(connect());
    await s3.send(new DeleteBucketCommand({ Bucket: name }));
    await dynamodb.send(new DeleteTableCommand({ TableName: name }));
    for (const aws of open) aws.close();
    dynamodb.destroy();
    s3.destroy();
  };
  return { bucket: name, table: name, connect, drop, [Symbol.asyncDispose]: drop };
}

function emulatorUrl(): string {
  const url = process.env['AWS_ENDPOINT_URL'];
  if (url === undefined || url === '') {
    throw new Error('AWS_ENDPOINT_URL names no emulator: run `npm run test:aws`');
  }
  return url;
}

async function createTable(client: DynamoDBClient, name: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'k', AttributeType: 'S' },
        { AttributeName: 's', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'k', KeyType: 'HASH' },
        { AttributeName: 's', KeyType: 'RANGE' },
      ],
    }),
  );
  const pace = { maxWaitTime: 30, minDelay: 0.05, maxDelay: 0.5 };
  await waitUntilTableExists({ client, ...pace }, { TableName: name });
}

async function emptyBucket({ objects }: Aws): Promise<void> {
  for (;;) {
    const { names } = await objects.list({ prefix: '' });
    if (names.length === 0) return;
    await objects.deleteMany(names);
  }
}
