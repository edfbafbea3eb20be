/** Bills of others, worked out by hand. */
import { describe, expect, test } from 'vitest';
import { kinesisOnDemand, peerBills } from '../../../scripts/cost/peer-bills.ts';
import { volumeOf } from '../../../scripts/cost/volume.ts';
import type { Workload } from '../../../scripts/cost/workload.ts';
import { tracked } from './workloads.ts';

/** 1024 messages of 1 KiB a second: 1 MiB/s, 2566.4 GiB a month, read by three. */
const MIB_A_SECOND: Workload = { ...tracked(1_024), messagesPerSecond: 1_024 };
const GIB = (1_024 * 2_628_000) / 1_024 ** 2;
const MESSAGES = 1_024 * 2_628_000;
const PUBLISHES = 2_628_000;

function usdOf(name: string, workload = MIB_A_SECOND): number | undefined {
  return peerBills(workload).find((bill) => bill.name === name)?.usd;
}

test.each([
  ['Kinesis, on demand', 29.2 + GIB * 0.2],
  // 1024 records a second need a second shard, three readers of 1 MiB/s as well.
  ['Kinesis, provisioned', 2 * 10.95 + MESSAGES * 0.014e-6],
  ['MSK Serverless', 547.5 + 1.095 + GIB * (0.1 + 3 * 0.05)],
  // Ten messages a request: a publish, and for each of three queues a receive and a delete.
  ['SNS with a queue of SQS for each reader', (MESSAGES / 10) * (0.5e-6 + 3 * 0.8e-6)],
  ['S2', GIB * (0.05 + 3 * 0.1) + PUBLISHES * (0.1e-6 + 3 * 1e-6)],
  ['Cloudflare K2', GIB * (0.04 + 3 * 0.04)],
  ['WarpStream', 100 + GIB * 0.01],
])('%s', (name, usd) => {
  // All of them keep a millisecond of it.
  expect(Math.abs((usdOf(name) ?? 0) / usd - 1)).toBeLessThan(1e-6);
});

test('each says where its prices were read, and when', () => {
  const sources = peerBills(MIB_A_SECOND).map(({ source }) => source);

  expect(sources.filter(({ asOf }) => !/^2026-[01][0-9](-[0-3][0-9])?$/.test(asOf))).toEqual([]);
  expect(sources.filter(({ where }) => where === '')).toEqual([]);
});

describe('what is rounded up', () => {
  test.each([
    [1, 1_024],
    [1_024, 1_024],
    [1_025, 2_048],
  ])('records of %i bytes are %i bytes to Kinesis', (messageBytes, charged) => {
    const workload = { ...MIB_A_SECOND, messageBytes };
    const out = volumeOf(workload).gibOut * 0.04;

    expect(kinesisOnDemand(workload).usd - 29.2 - out).toBeCloseTo((GIB * charged * 0.08) / 1_024);
  });

  test('a request to SNS or SQS counts once for each 64 KiB', () => {
    const large = { ...MIB_A_SECOND, messageBytes: 65_536, batch: 10 };
    const small = { ...large, messageBytes: 6_553 };

    expect(usdOf('SNS with a queue of SQS for each reader', large)).toBeCloseTo(
      (MESSAGES / 10) * (10 * 0.5e-6 + 3 * (10 * 0.4e-6 + 0.4e-6)),
    );
    expect(usdOf('SNS with a queue of SQS for each reader', small)).toBeCloseTo(
      (MESSAGES / 10) * (0.5e-6 + 3 * 0.8e-6),
    );
  });

  test('what is kept costs by the month', () => {
    const month = { ...MIB_A_SECOND, retentionMs: 730 * 3_600_000 };
    const more = (name: string) => (usdOf(name, month) ?? 0) - (usdOf(name) ?? 0);

    expect(more('MSK Serverless')).toBeCloseTo(GIB * 0.1);
    expect(more('S2')).toBeCloseTo(GIB * 0.05);
    expect(more('Cloudflare K2')).toBeCloseTo(GIB * 0.02);
    expect(more('WarpStream')).toBeCloseTo(GIB * 0.01);
  });
});
