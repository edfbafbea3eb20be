import { describe, expect, test } from 'vitest';
import { fromFault, toFault } from '../../lib/embedded/write-job.ts';
import { StoreError } from '../../lib/ports/store-error.ts';

describe('an error that crosses', () => {
  test('P7: of the store says the same on the other side, and why', () => {
    const cause = new Error('database or disk is full');
    const error = new StoreError('the disk is full', {
      kind: 'unavailable',
      sideEffects: 'none',
      cause,
    });
    const crossed = fromFault(structuredClone(toFault(error)));

    expect(crossed).toBeInstanceOf(StoreError);
    expect(crossed).toMatchObject({
      kind: 'unavailable',
      sideEffects: 'none',
      message: 'the disk is full',
    });
    expect(String(crossed.cause)).toContain('database or disk is full');
  });

  test.each([
    ['a fault of the program', new TypeError('x is undefined'), 'x is undefined'],
    ['what is no error', 'text', 'text'],
  ])('%s is an error that is none of the store', (_what, thrown, message) => {
    const crossed = fromFault(structuredClone(toFault(thrown)));

    expect(crossed).not.toBeInstanceOf(StoreError);
    expect(crossed.message).toBe(message);
    expect(String(crossed.cause)).toContain('write-job');
  });
});
