/**
 * The two clients of the AWS SDK, made when first needed: a process that never reads an object has no
 * client for S3. They send each request once; whether to send it again is decided above them.
 */
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';

type RequestHandler = DynamoDBClient['config']['requestHandler'];

export interface AwsSettings {
  readonly region: string;
  /** Of a LocalStack-compatible emulator: both services by one URL, buckets in the path. */
  readonly endpoint?: string;
  /** Where DynamoDB is when `endpoint` is S3 alone. */
  readonly dynamodbEndpoint?: string;
  /** By default those of the environment, of a profile or of the machine's role, as the SDK finds them. */
  readonly credentials?: NonNullable<DynamoDBClientConfig['credentials']>;
  /** Puts something between the clients and the network. */
  readonly wrapHandler?: (handler: RequestHandler) => RequestHandler;
}

export interface AwsClients {
  dynamodb(): DynamoDBClient;
  s3(): S3Client;
  /** As the clients have them. */
  credentials(): ReturnType<DynamoDBClient['config']['credentials']>;
  close(): void;
}

/** In one region a connection takes milliseconds: one that takes longer leads to a lost host. */
const CONNECT_MS_MAX = 1_000;
/** Beyond the writers and readers of one process: with 50, the SDK's default, 64 would queue. */
const SOCKETS_MAX = 256;

export function createAwsClients(settings: AwsSettings): AwsClients {
  let dynamodb: DynamoDBClient | undefined;
  let s3: S3Client | undefined;
  const dynamodbClient = () => {
    dynamodb ??= wrapped(new DynamoDBClient(dynamodbConfig(settings)), settings);
    return dynamodb;
  };
  return {
    dynamodb: dynamodbClient,
    credentials: () => dynamodbClient().config.credentials(),
    s3() {
      s3 ??= wrapped(new S3Client(s3Config(settings)), settings);
      return s3;
    },
    close() {
      dynamodb?.destroy();
      s3?.destroy();
    },
  };
}

function clientConfig({ region, endpoint, credentials }: AwsSettings) {
  const agent = { keepAlive: true, maxSockets: SOCKETS_MAX };
  return {
    region,
    maxAttempts: 1,
    requestHandler: { connectionTimeout: CONNECT_MS_MAX, httpAgent: agent, httpsAgent: agent },
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
  };
}

function dynamodbConfig(settings: AwsSettings) {
  const { dynamodbEndpoint } = settings;
  const config = clientConfig(settings);
  return dynamodbEndpoint === undefined ? config : { ...config, endpoint: dynamodbEndpoint };
}

function s3Config(settings: AwsSettings) {
  return {
    ...clientConfig(settings),
    forcePathStyle: settings.endpoint !== undefined,
    // Each put carries a CRC-32 that S3 checks. What is read has one of its own in every block.
    requestChecksumCalculation: 'WHEN_SUPPORTED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // From 2 MiB on the SDK would ask before it sends, on a connection that it makes for this one put.
    expectContinueHeader: false,
  } as const;
}

function wrapped<Client extends { readonly config: { requestHandler: RequestHandler } }>(
  client: Client,
  { wrapHandler }: AwsSettings,
): Client {
  if (wrapHandler !== undefined) {
    client.config.requestHandler = wrapHandler(client.config.requestHandler);
  }
  return client;
}
