import { expect, test } from 'vitest';
import {
  ClaimLedger,
  planRecord,
  type RoutingRecord,
} from '../../../lib/core/routing/routing-record.ts';
import { idOf, streamName } from '../../support/batches.ts';
import { exchangeIdOf } from '../../support/exchange-steps.ts';

const settings = { header: 'id', cache_size: 2, cache_ttl: 100 };
const [Q, R] = [
  { name: streamName('q'), id: idOf(1) },
  { name: streamName('r'), id: idOf(2) },
];
const there = (rest: Partial<RoutingRecord> = {}): RoutingRecord => ({
  rid: 'old',
  number: 7,
  startedMs: 1_000,
  expiresMs: 100_000,
  destinations: [Q],
  taken: new Set(),
  ...rest,
});
const moment = { settings, count: 8, nowMs: 2_000 };
const wanted = { value: 'A', rid: 'new', destinations: [Q] };
const hasIt = { taken: new Set([Q.id]) };

test('M5: made anew for where it would go now, with the next number', () => {
  expect(planRecord(undefined, wanted, moment)).toEqual({
    kind: 'made',
    record: { ...there(), rid: 'new', number: 9, startedMs: 2_000, expiresMs: 2_100 },
  });
});

test.each([
  ['M5: one that somebody has', there(hasIt), {}, 'known'],
  ['M5: that somebody has, and goes elsewhere now', there(hasIt), { destinations: [R] }, 'known'],
  ['M5: that somebody has, and goes nowhere now', there(hasIt), { destinations: [] }, 'known'],
  ['M5: that nobody has yet', there(), {}, 'known'],
  ['M5: that nobody has, and goes elsewhere now', there(), { destinations: [Q, R] }, 'made'],
  ['M5: that nobody has, for long', there({ startedMs: -9_000 }), {}, 'made'],
  ['M5: that nobody has, and goes nowhere now', there(), { destinations: [] }, 'none'],
  ['M3: that has expired', there({ ...hasIt, expiresMs: 2_000 }), {}, 'made'],
  ['M3: that it made itself', there({ ...hasIt, rid: 'new', expiresMs: 2_000 }), {}, 'known'],
  ['M3: that two others have pushed out', there({ ...hasIt, number: 6 }), {}, 'made'],
] as const)('%s', (...[, record, rest, kind]) => {
  expect(planRecord(record, { ...wanted, ...rest }, moment).kind).toBe(kind);
});

test('M4: its own time stands above that of the setting', () => {
  const plan = planRecord(undefined, { ...wanted, ttlMs: 5 }, moment);
  expect(plan.kind === 'made' && plan.record.expiresMs).toBe(2_005);
});

test('M5: a claim is taken once, and not for a message that is left out', () => {
  const claims = ['A', 'B'].map((value, index) => {
    return { exchangeId: exchangeIdOf(1), value, rid: 'r', index };
  });
  const ledger = new ClaimLedger(({ value }) => value !== 'C');
  ledger.take(claims, 1);
  expect(ledger.taken).toEqual(claims.slice(1));
  expect(ledger.areOpen(claims.slice(0, 1))).toBe(true);
  expect(ledger.areOpen(claims)).toBe(false);
  expect(ledger.areOpen([{ exchangeId: exchangeIdOf(1), value: 'C', rid: 'r', index: 0 }])).toBe(
    false,
  );
});
