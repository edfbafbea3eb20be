/**
 * S3 and DynamoDB as the protocol uses them: one bucket, one table. Making it sends nothing and makes no
 * client of the SDK; the first call does.
 */
import type { Clock } from '../ports/clock.ts';
import type { Meter } from '../ports/meter.ts';
import type { Random } from '../ports/random.ts';
import { createAwsCalls } from './aws-call.ts';
import { type AwsSettings, createAwsClients } from './aws-clients.ts';
import { createAwsMetrics } from './aws-metrics.ts';
import { createDynamoTable } from './dynamo-table.ts';
import { createInvoke } from './invoke-function.ts';
import type { Objects } from './objects.ts';
import { createS3Objects } from './s3-objects.ts';
import type { Table } from './table.ts';

export interface AwsOptions extends AwsSettings {
  readonly bucket: string;
  readonly table: string;
  readonly meter: Meter;
  readonly clock: Clock;
  /** Spreads repeated requests in time. */
  readonly random: Random;
}

export interface Aws {
  readonly table: Table;
  readonly objects: Objects;
  /** Has a function of that name run, and does not wait for it. */
  invoke(functionName: string): () => Promise<void>;
  /** Ends connections; what waits to be sent again fails. */
  close(): void;
}

export function createAws(options: AwsOptions): Aws {
  const { bucket, table, region, endpoint, meter, clock, random } = options;
  const clients = createAwsClients(options);
  const metrics = createAwsMetrics(meter);
  const calls = createAwsCalls({ clock, random, metrics });
  return {
    table: createDynamoTable({ client: clients.dynamodb, table, calls, metrics }),
    objects: createS3Objects({ client: clients.s3, bucket, calls, metrics, clock }),
    invoke: (functionName) =>
      createInvoke({
        functionName,
        region,
        ...(endpoint !== undefined && { endpoint }),
        clock,
        credentials: clients.credentials,
      }),
    close() {
      calls.close();
      clients.close();
    },
  };
}
