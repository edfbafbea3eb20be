/** What `npm run cost` says. */
import { expect, test } from 'vitest';
import { peerBills } from '../../../scripts/cost/peer-bills.ts';
import { costReport } from '../../../scripts/cost/report.ts';
import { kinesisBreakEven } from '../../../scripts/cost/shortcomings.ts';
import { varveBill } from '../../../scripts/cost/varve-bill.ts';
import { SECONDS_PER_MONTH } from '../../../scripts/cost/volume.ts';
import { tracked } from './workloads.ts';

/** As one line, however it was broken. */
const report = (batch: number, rest = {}) =>
  costReport({ ...tracked(batch), ...rest }).replaceAll(/\s+/g, ' ');

test('every provider is there, with the source of its prices', () => {
  const text = report(100);

  for (const { name, source } of [varveBill(tracked(100)), ...peerBills(tracked(100))]) {
    expect(text).toContain(name);
    expect(text).toContain(`${source.where}, ${source.asOf}`);
  }
});

test('who is cheaper is named', () => {
  expect(report(1)).toContain('Cheaper for this workload: Kinesis, on demand ($');
  expect(report(1_024, { messagesPerSecond: 1_024, readEveryMs: 1_000 })).toContain(
    'For this workload none of the others is cheaper.',
  );
});

test('single messages are told what batches would cost', () => {
  const together = varveBill({ ...tracked(1), batch: 100 }).usd;

  expect(report(1)).toContain(`100 a publish $${together.toFixed(2)}`);
  expect(report(2)).not.toContain('In batches');
});

test('from the break-even on, single messages are cheaper with Kinesis, and not before', () => {
  const single = { ...tracked(1), readEveryMs: 60_000 };
  const messages = kinesisBreakEven(single) ?? 0;
  const difference = (share: number) => {
    const messagesPerSecond = (share * messages) / SECONDS_PER_MONTH;
    const bills = [varveBill, ...[peerBills].map((bills) => (of: typeof single) => bills(of)[0])];
    const [own, kinesis] = bills.map((bill) => bill({ ...single, messagesPerSecond })?.usd ?? 0);
    return (own ?? 0) - (kinesis ?? 0);
  };

  expect(difference(0.9)).toBeLessThan(0);
  expect(difference(1.1)).toBeGreaterThan(0);
});

test('more publishes than one item of DynamoDB takes are told of', () => {
  expect(report(1, { messagesPerSecond: 5_000 })).toContain(
    '5,000 publishes a second on one stream are more than DynamoDB takes',
  );
  expect(report(1, { messagesPerSecond: 5_000, streams: 5 })).not.toContain('more than DynamoDB');
});
