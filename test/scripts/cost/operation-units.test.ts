/** The table that bills are made of: each of its lines is counted somewhere on the store itself. */
import { expect, test } from 'vitest';
import {
  OPERATION_UNITS,
  publishWriteUnits,
  sumUnits,
} from '../../../scripts/cost/operation-units.ts';
import { filesBelow } from '../../tidy/source-files.ts';

test('every operation of the table is counted on the store', () => {
  const counting = filesBelow('test/aws/cost-budget', ['.ts']).map(({ text }) => text);
  const uncounted = Object.keys(OPERATION_UNITS).filter((name) => {
    return !counting.some((text) => new RegExp(`\\b${name}\\b`).test(text));
  });

  expect(uncounted).toEqual([]);
});

test.each([
  [0, 1],
  [12, 1],
  [13, 2],
  [37, 2],
  [38, 3],
  [62, 3],
  [63, 4],
])('with %i publishers in the tail a publish is at most %i write units', (publishers, units) => {
  expect(publishWriteUnits(publishers)).toBe(units);
});

test('operations add up, each as often as it happens', () => {
  const one = { puts: 1, gets: 2, writeUnits: 3, readUnits: 4 };

  expect(sumUnits([])).toEqual({ puts: 0, gets: 0, writeUnits: 0, readUnits: 0 });
  expect(
    sumUnits([
      [one, 2],
      [{ ...one, puts: 10 }, 0.5],
    ]),
  ).toEqual({ puts: 7, gets: 5, writeUnits: 7.5, readUnits: 10 });
});
