import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { linkAbort } from '../../lib/services/linked-abort.ts';

test('LR5: aborts with any of those it follows, and lets go of the others', () => {
  const [a, b] = [new AbortController(), new AbortController()];
  const linked = linkAbort(a.signal, b.signal);
  expect(linked.signal.aborted).toBe(false);
  b.abort();

  expect(linked.signal.aborted).toBe(true);
  expect(a.signal.aborted).toBe(false);
  expect(getEventListeners(a.signal, 'abort')).toEqual([]);
});

test('LR5: is aborted from the start when one of them is', () => {
  const a = new AbortController();
  const linked = linkAbort(a.signal, AbortSignal.abort());

  expect(linked.signal.aborted).toBe(true);
  expect(getEventListeners(a.signal, 'abort')).toEqual([]);
});

test('LR5: an end aborts it alone, and leaves no listener behind', () => {
  const a = new AbortController();
  const linked = linkAbort(a.signal);
  expect(getEventListeners(a.signal, 'abort')).toHaveLength(1);
  linked.end();
  linked.end();

  expect(linked.signal.aborted).toBe(true);
  expect(a.signal.aborted).toBe(false);
  expect(getEventListeners(a.signal, 'abort')).toEqual([]);
});
