/**
 * How long S3 and DynamoDB take, as median and 99th percentile of a lognormal distribution: what functions
 * are billed for waiting, and what `npm run bench -- --simulate-aws` injects.
 */

export interface Latency {
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** Of objects and items of a few KiB, from a function in the same region. */
export const STORE_LATENCY = {
  s3Put: { medianMs: 60, p99Ms: 300 },
  /** To the first byte. */
  s3Get: { medianMs: 30, p99Ms: 150 },
  dynamodbWrite: { medianMs: 5, p99Ms: 20 },
  dynamodbRead: { medianMs: 3, p99Ms: 15 },
} as const satisfies { readonly [call: string]: Latency };

/** Standard deviations between the median and the 99th percentile. */
const Z_99 = 2.326_347_874;

/** Of the logarithm. */
export function deviationOf({ medianMs, p99Ms }: Latency): number {
  return Math.log(p99Ms / medianMs) / Z_99;
}

/** Above the median, as the slow ones weigh more. */
export function meanMs(latency: Latency): number {
  return latency.medianMs * Math.exp(deviationOf(latency) ** 2 / 2);
}
