import { expect, test } from 'vitest';
import { createStoreTime } from './store-time.ts';

const span = (startMs: number, endMs: number) => ({ startMs, endMs });

test.each([
  ['nothing', [], 0],
  ['what lies within', [span(10, 20)], 10],
  ['what lies around', [span(-10, 200)], 100],
  ['only the part that lies within', [span(-10, 5), span(90, 200)], 15],
  ['nothing of what lies outside', [span(-10, 0), span(100, 200)], 0],
  ['one after the other', [span(10, 20), span(20, 25), span(30, 40)], 25],
  ['what overlaps once', [span(10, 20), span(12, 18), span(15, 30)], 20],
])('a request waited for the stores: %s', (_what, spans, expected) => {
  const storeTime = createStoreTime();
  for (const each of spans) storeTime.add(each);

  expect(storeTime.within(span(0, 100))).toBe(expected);
});
