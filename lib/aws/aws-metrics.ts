/**
 * What is counted of the requests to S3 and DynamoDB: each one sent, how it ended, how long it took, and
 * the capacity that DynamoDB says it used. A refused condition is charged too but its answer names no
 * capacity, so the write units counted are a little below those on the bill.
 */
import type { Counter, Histogram, Meter } from '../ports/meter.ts';

export type AwsService = 'dynamodb' | 's3';

/** `refused`: a condition did not hold, or there is no such object. */
export type AwsOutcome = 'done' | 'refused' | 'throttled' | 'conflict' | 'timeout' | 'failed';

export interface OperationMetrics {
  ended(outcome: AwsOutcome, seconds: number): void;
}

export interface AwsMetrics {
  operation(service: AwsService, operation: string): OperationMetrics;
  readonly readUnits: Counter;
  readonly writeUnits: Counter;
  readonly hedgedGets: Counter;
}

/** From an item read next door to a transfer that is about to be given up. */
const SECONDS_BOUNDS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 15];

/** Once a meter. */
export function createAwsMetrics(meter: Meter): AwsMetrics {
  const requests = meter.counters({
    name: 'varve_aws_requests_total',
    help: 'Requests sent to AWS, repeated ones too, by how they ended.',
    labels: ['service', 'operation', 'outcome'],
  });
  const seconds = meter.histograms({
    name: 'varve_aws_request_seconds',
    help: 'From sending a request to AWS to the end of its answer or of the wait for it.',
    labels: ['service', 'operation'],
    bounds: SECONDS_BOUNDS,
  });
  return {
    operation: (service, operation) =>
      operationMetrics(seconds.with({ service, operation }), (outcome) =>
        requests.with({ service, operation, outcome }),
      ),
    ...unitCounters(meter),
    hedgedGets: meter.counter({
      name: 'varve_aws_hedged_gets_total',
      help: 'Second GETs sent because the first took long.',
    }),
  };
}

function unitCounters(meter: Meter): Pick<AwsMetrics, 'readUnits' | 'writeUnits'> {
  const units = meter.counters({
    name: 'varve_aws_consumed_units_total',
    help: 'Capacity units that DynamoDB reported as used.',
    labels: ['kind'],
  });
  return { readUnits: units.with({ kind: 'read' }), writeUnits: units.with({ kind: 'write' }) };
}

/** Outcomes that never happened are not shown: most operations know two. */
function operationMetrics(
  seconds: Histogram,
  counterOf: (outcome: AwsOutcome) => Counter,
): OperationMetrics {
  const counters = new Map<AwsOutcome, Counter>();
  return {
    ended(outcome, took) {
      const counter = counters.get(outcome) ?? counterOf(outcome);
      counters.set(outcome, counter);
      counter.add(1);
      seconds.observe(took);
    },
  };
}
