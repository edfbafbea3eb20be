/** The distributions that latencies are drawn from and paid for by. */
import { expect, test } from 'vitest';
import { deviationOf, meanMs, STORE_LATENCY } from '../../../scripts/cost/store-latency.ts';

test.each(Object.entries(STORE_LATENCY))(
  '%s has its median and its 99th percentile',
  (_call, latency) => {
    const deviation = deviationOf(latency);

    expect(latency.medianMs * Math.exp(2.326_347_874 * deviation)).toBeCloseTo(latency.p99Ms, 6);
    expect(meanMs(latency)).toBeGreaterThan(latency.medianMs);
  },
);

test('a PUT of 60 ms in the middle takes 76 ms on average', () => {
  expect(Math.round(meanMs(STORE_LATENCY.s3Put))).toBe(76);
});
