/** The AWS gateway without a service behind it: what no script answers gets an empty success. */
import type { AwsSettings } from '../../lib/aws/aws-clients.ts';
import { type Aws, createAws } from '../../lib/aws/create-aws.ts';
import { createPrometheusMeter } from '../../lib/http/prometheus-meter.ts';
import { type AwsFaults, createAwsFaults, type Fault } from './aws-faults.ts';
import { createManualClock, type ManualClock } from './manual-clock.ts';

export interface OfflineAws extends Aws {
  readonly faults: AwsFaults;
  readonly clock: ManualClock;
  /** Lines of the exposition that begin with the text. */
  metrics(prefix: string): readonly string[];
}

const OFFLINE = 'http://offline.test';

export function createOfflineAws(settings: Partial<AwsSettings> = {}): OfflineAws {
  const clock = createManualClock(0);
  const faults = createAwsFaults();
  const meter = createPrometheusMeter();
  const aws = createAws({
    region: 'us-east-1',
    endpoint: OFFLINE,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    bucket: 'bucket',
    table: 'table',
    meter,
    clock,
    // Pauses of no length: nothing waits for the clock but time limits.
    random: { hex128: () => '0'.repeat(32) },
    ...settings,
    wrapHandler: (handler) => {
      const inner = settings.wrapHandler?.(handler) ?? handler;
      return faults.wrapHandler(withoutNetwork(inner));
    },
  });
  return {
    ...aws,
    faults,
    clock,
    metrics: (prefix) =>
      meter
        .exposition()
        .split('\n')
        .filter((line) => line.startsWith(prefix)),
  };
}

/** What DynamoDB answers; its members as JSON. */
export function result(members: object = {}): Fault {
  return { kind: 'answer', status: 200, body: JSON.stringify(members) };
}

function withoutNetwork<Handler extends object>(handler: Handler): Handler {
  const handle = async (request: { readonly headers: { readonly [name: string]: string } }) => {
    const isS3 = request.headers['x-amz-target'] === undefined;
    return { response: { statusCode: 200, headers: {}, body: Buffer.from(isS3 ? '' : '{}') } };
  };
  return Object.assign(Object.create(handler), { handle });
}
