/** Published prices in us-east-1, in dollars, each with where and when it was read. Taxes and free tiers are left out. */

export interface PriceSource {
  readonly where: string;
  /** Year, month and, where it is known, day. */
  readonly asOf: string;
}

const AWS: PriceSource = { where: 'AWS price list, us-east-1', asOf: '2026-08-21' };
const QUOTED = '2026-10';

const MILLION = 1e-6;

export const AWS_PRICES = {
  source: AWS,
  s3Put: 5 * MILLION,
  s3Get: 0.4 * MILLION,
  s3GibMonth: 0.023,
  writeUnit: 0.625 * MILLION,
  readUnit: 0.125 * MILLION,
  tableGibMonth: 0.25,
  lambdaRequest: 0.2 * MILLION,
  /** On arm64. */
  lambdaGibSecond: 0.000_013_333_4,
} as const;

export const KINESIS_ON_DEMAND = {
  source: AWS,
  streamHour: 0.04,
  gibIn: 0.08,
  gibOut: 0.04,
  /** Records are charged by the KiB. */
  recordStepBytes: 1_024,
} as const;

export const KINESIS_PROVISIONED = {
  source: AWS,
  shardHour: 0.015,
  shardBytesIn: 1_048_576,
  shardRecordsIn: 1_000,
  shardBytesOut: 2 * 1_048_576,
  putUnit: 0.014 * MILLION,
  putUnitBytes: 25 * 1_024,
} as const;

export const MSK_SERVERLESS = {
  source: { where: 'AWS, quoted by a third party', asOf: QUOTED },
  clusterHour: 0.75,
  partitionHour: 0.0015,
  gibIn: 0.1,
  gibOut: 0.05,
  gibMonth: 0.1,
} as const;

export const SNS_AND_SQS = {
  source: AWS,
  snsPublish: 0.5 * MILLION,
  sqsRequest: 0.4 * MILLION,
  /** A request carries at most ten messages, and counts once for each 64 KiB. */
  messagesPerRequest: 10,
  requestStepBytes: 65_536,
} as const;

export const S2 = {
  source: { where: "the vendor's list, quoted by a third party", asOf: QUOTED },
  gibIn: 0.05,
  gibOut: 0.1,
  gibMonth: 0.05,
  append: 0.1 * MILLION,
  read: 1 * MILLION,
} as const;

export const CLOUDFLARE_K2 = {
  source: { where: "the vendor's list (beta), quoted by a third party", asOf: QUOTED },
  gibIn: 0.04,
  gibOut: 0.04,
  gibMonth: 0.02,
} as const;

export const WARPSTREAM = {
  source: { where: "the vendor's list, quoted by a third party", asOf: QUOTED },
  smallestTier: 100,
  gibIn: 0.01,
  gibMonth: 0.01,
} as const;
