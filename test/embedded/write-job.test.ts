import { describe, expect, test } from 'vitest';
import { fromFault, packCommit, toFault, unpackCommit } from '../../lib/embedded/write-job.ts';
import { StoreError } from '../../lib/ports/store-error.ts';
import { batchOf, idOf, publisherName, streamName } from '../support/batches.ts';

describe('a commit that crosses', () => {
  test('is the same on the other side', () => {
    const stream = streamName('s');
    const appends = [
      { stream, batch: batchOf('a', 'bc'), timeMs: 1, createAs: idOf(1) },
      { stream, batch: batchOf('', 'x'.repeat(1_000)), timeMs: 2, expectedOffset: 0 },
      {
        stream,
        batch: { ...batchOf('d'), jsonChecked: true },
        timeMs: 3,
        fencingToken: 't',
        publisher: { name: publisherName('p'), ids: [7], epoch: 0 },
      },
    ];
    const packed = packCommit(appends);

    expect(unpackCommit(structuredClone(packed, { transfer: [packed.records] }))).toEqual(appends);
  });
});

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
