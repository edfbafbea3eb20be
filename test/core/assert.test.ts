import { expect, test } from 'vitest';
import { AssertionFailed, assert } from '../../lib/core/assert.ts';

test('a claim that holds passes', () => {
  expect(() => assert(true, 'never said')).not.toThrow();
});

test('a broken claim throws its own kind of error with the message', () => {
  expect(() => assert(false, 'first 7 is above next 3')).toThrow(
    new AssertionFailed('first 7 is above next 3'),
  );
});

test('the error is told apart by its name', () => {
  expect(new AssertionFailed('broken').name).toBe('AssertionFailed');
});
