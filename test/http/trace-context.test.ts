import { expect, test } from 'vitest';
import { parseTraceparent } from '../../lib/http/trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test.each([`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-00`, `cc-${TRACE}-${SPAN}-01-later-x`])(
  'is read: %s',
  (traceparent) => {
    expect(parseTraceparent(traceparent)).toEqual({ traceId: TRACE, traceparent });
  },
);

test.each([
  '',
  TRACE,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-`,
  `00-${TRACE}-${SPAN}-01-x`,
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE}0-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-1`,
  `cc-${TRACE}-${SPAN}-01x`,
  `cc-${TRACE}-${SPAN}-01-a b`,
  `cc-${TRACE}-${SPAN}-01-${'x'.repeat(255)}`,
  `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
])('is as if there was none: %s', (traceparent) => {
  expect(parseTraceparent(traceparent)).toBeUndefined();
});

test('may be absent', () => {
  expect(parseTraceparent(null)).toBeUndefined();
});
