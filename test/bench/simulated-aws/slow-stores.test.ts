import { expect, test } from 'vitest';
import { STORE_LATENCY } from '../../../scripts/cost/store-latency.ts';
import { createDraw, createSlowStores } from './slow-stores.ts';

const CALLS = ['s3Put', 's3Get', 'dynamodbWrite', 'dynamodbRead'] as const;
const DRAWS = 20_000;

test.each(CALLS)(
  'latencies of %s have the median and the 99th percentile they are to have',
  (call) => {
    const draw = createDraw(1);
    const sorted = Float64Array.from({ length: DRAWS }, () => draw(call)).sort();
    const { medianMs, p99Ms } = STORE_LATENCY[call];

    expect(Math.abs((sorted[DRAWS / 2] ?? 0) / medianMs - 1)).toBeLessThan(0.03);
    expect(Math.abs((sorted[0.99 * DRAWS] ?? 0) / p99Ms - 1)).toBeLessThan(0.08);
  },
);

test('the same seed draws the same latencies', () => {
  const [first, second, other] = [createDraw(1), createDraw(1), createDraw(2)];
  const drawn = CALLS.map((call) => first(call));

  expect(CALLS.map((call) => second(call))).toEqual(drawn);
  expect(CALLS.map((call) => other(call))).not.toEqual(drawn);
});

test('a call takes as long as was drawn for it, which is store time', async () => {
  const stores = createSlowStores(1);
  stores.setScale(0.1);
  const startMs = performance.now();
  await stores.objects.put('name', new Uint8Array(1));
  await stores.table.get({ k: 'k', s: 's' });
  const endMs = performance.now();
  const draw = createDraw(1);
  const drawnMs = 0.1 * (draw('s3Put') + draw('dynamodbRead'));

  expect(endMs - startMs).toBeGreaterThanOrEqual(drawnMs);
  expect(stores.storeTime.within({ startMs, endMs })).toBeCloseTo(drawnMs, 6);
});

test('what runs in the background is no store time of anybody', async () => {
  const stores = createSlowStores(1);
  stores.setScale(0.1);
  const startMs = performance.now();
  await stores.inBackground(() => stores.table.get({ k: 'k', s: 's' }));

  expect(stores.storeTime.within({ startMs, endMs: performance.now() })).toBe(0);
});
