import { expect, test } from 'vitest';
import { offset } from '../../../lib/core/log/ids.ts';
import { opensSegment } from '../../../lib/core/log/segment.ts';

const settings = { segment_max_bytes: 100, segment_max_age: 1_000 };
const active = { first: offset(40), bytesBefore: 500, firstTimeMs: 10_000 };

test('T6: the first message of a stream opens its first segment', () => {
  expect(opensSegment({ active: undefined, settings, bytes: 0, timeMs: 0 })).toBe(true);
});

test.for([
  ['below both limits', 599, 11_000, false],
  ['at its bytes', 600, 10_000, true],
  ['above its bytes, as one request may fill it', 9_999, 10_000, true],
  ['as old as it may be', 500, 11_000, false],
  ['older', 500, 11_001, true],
  ['full and old', 600, 11_001, true],
  ['just opened', 500, 10_000, false],
] as const)('T6: %s', ([, bytes, timeMs, opens]) => {
  expect(opensSegment({ active, settings, bytes, timeMs })).toBe(opens);
});
