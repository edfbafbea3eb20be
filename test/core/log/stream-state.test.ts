import { expect, test } from 'vitest';
import { AssertionFailed } from '../../../lib/core/assert.ts';
import {
  applyFencingToken,
  applyTrim,
  newStreamState,
} from '../../../lib/core/log/stream-state.ts';
import { at, idOf } from '../../support/batches.ts';

const empty = newStreamState(idOf(1), { segment_max_bytes: 7 });
const state = { ...empty, first: at(3), next: at(9) };

test('T13: a new stream begins at 0, with nothing', () => {
  expect(empty).toEqual({
    streamId: idOf(1),
    settings: { segment_max_bytes: 7 },
    revision: 1,
    first: 0,
    next: 0,
    lastChunk: 0,
    timeMs: 0,
    bytes: 0,
  });
});

test.each([
  [0, 3],
  [3, 3],
  [4, 4],
  [9, 9],
])('T11: a trim before %d leaves first at %d, and all else as it is', (before, first) => {
  expect(applyTrim(state, at(before))).toEqual({ ...state, first });
});

test('a trim beyond the end is a fault of this program', () => {
  expect(() => applyTrim(state, at(10))).toThrow(AssertionFailed);
});

test('P5: a token is set, changed and taken away, and nothing else', () => {
  const fenced = applyFencingToken(state, 'a');

  expect(fenced).toEqual({ ...state, fencingToken: 'a' });
  expect(applyFencingToken(fenced, 'b')).toEqual({ ...state, fencingToken: 'b' });
  expect(applyFencingToken(fenced, undefined)).toEqual(state);
  expect(applyFencingToken(fenced, undefined)).not.toHaveProperty('fencingToken');
});
