import { describe, expect, test } from 'vitest';
import { parseWrittenJson } from '../../../lib/core/filter/written-json.ts';
import {
  DELAY_MS_MAX,
  parseDelayHeader,
  parseDelayMs,
  parseDeliverAt,
  planDue,
} from '../../../lib/core/timer/delay.ts';

const NOW_MS = 1_795_946_400_000;

/** As a header is read: numbers keep the digits they were written with. */
const header = (json: string) => parseDelayHeader(parseWrittenJson(json)?.value);

describe('the header', () => {
  test.each([
    ['0', 0],
    ['-5', -5],
    ['"0"', 0],
    ['1', 1],
    ['5000', 5_000],
    ['"5000"', 5_000],
    ['4294967296', 4_294_967_296],
    ['315360000000', DELAY_MS_MAX],
  ])('L3: %s is %i ms', (json, ms) => {
    expect(header(json)).toEqual({ kind: 'ok', delay: { kind: 'after', ms } });
  });

  test.each([
    '"abc"',
    '""',
    '"5000 "',
    '"5e3"',
    '"٥٠٠٠"',
    '"-5"',
    '"1.5"',
    '1.5',
    '5.0',
    '5e3',
    '1e300',
    '315360000001',
    '99999999999999999999',
    'true',
    'null',
    '[]',
    '{}',
  ])('L3: %s is refused, naming the maximum', (json) => {
    expect(header(json)).toEqual({
      kind: 'reject',
      reason: expect.stringContaining('315360000000'),
    });
  });
});

test.each([
  [5, 5],
  [0, 0],
  [-1, -1],
])('L2: delay_ms %j is %i ms', (value, ms) => {
  expect(parseDelayMs(value)).toEqual({ kind: 'ok', delay: { kind: 'after', ms } });
});

test.each([1.5, '5', null, Number.NaN, DELAY_MS_MAX + 1])('L3: delay_ms %j is refused', (value) => {
  expect(parseDelayMs(value).kind).toBe('reject');
});

test.each([
  [NOW_MS, NOW_MS],
  [String(NOW_MS), NOW_MS],
  ['2026-11-29T10:00:00Z', NOW_MS],
  ['2026-11-29T11:00:00.5+01:00', NOW_MS + 500],
])('L2: deliver_at %j is %i', (value, ms) => {
  expect(parseDeliverAt(value)).toEqual({ kind: 'ok', delay: { kind: 'at', ms } });
});

test.each([1_795_946_400, 'tomorrow', '10:00', null, true, 1.5])(
  'L3: deliver_at %j is refused',
  (value) => {
    expect(parseDeliverAt(value).kind).toBe('reject');
  },
);

describe('when it is due', () => {
  test.each([
    [{ kind: 'after', ms: 1 }, NOW_MS + 1],
    [{ kind: 'after', ms: DELAY_MS_MAX }, NOW_MS + DELAY_MS_MAX],
    [{ kind: 'at', ms: NOW_MS + 1 }, NOW_MS + 1],
    [{ kind: 'at', ms: NOW_MS + DELAY_MS_MAX }, NOW_MS + DELAY_MS_MAX],
  ] as const)('L4: %j: at that time', (delay, dueMs) => {
    expect(planDue(delay, NOW_MS)).toEqual({ kind: 'ok', dueMs });
  });

  test.each([
    { kind: 'after', ms: 0 },
    { kind: 'after', ms: -5 },
    { kind: 'at', ms: NOW_MS },
    { kind: 'at', ms: 1 },
  ] as const)('L3: %j: at once', (delay) => {
    expect(planDue(delay, NOW_MS)).toEqual({ kind: 'ok' });
  });

  test('L3: a time further away than the maximum is refused', () => {
    expect(planDue({ kind: 'at', ms: NOW_MS + DELAY_MS_MAX + 1 }, NOW_MS).kind).toBe('reject');
  });
});
