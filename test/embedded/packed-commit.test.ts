import { describe, expect, test } from 'vitest';
import type { CommitOutcome } from '../../lib/core/log/commit-batch.ts';
import { offset } from '../../lib/core/log/ids.ts';
import {
  packCommit,
  packOutcomes,
  unpackCommit,
  unpackOutcomes,
} from '../../lib/embedded/packed-commit.ts';
import { batchOf, idOf, publisherName, streamName } from '../support/batches.ts';

describe('a commit that crosses', () => {
  test('is the same on the other side', () => {
    const [stream, other] = [streamName('s'), streamName('"other" 🜁')];
    const appends = [
      { stream, batch: batchOf('a', 'bc'), timeMs: 1, createAs: idOf(1) },
      { stream: other, batch: batchOf('', 'x'.repeat(1_000)), timeMs: 2, expectedOffset: 0 },
      {
        stream,
        batch: { ...batchOf('d'), jsonChecked: true },
        timeMs: 3,
        fencingToken: 't"\\',
        publisher: { name: publisherName('p'), ids: [7, 2 ** 53 - 1], epoch: 0 },
      },
      { stream: other, batch: { ...batchOf('e'), jsonChecked: false }, timeMs: 2 ** 53 - 1 },
    ];
    const packed = packCommit(appends);

    expect(unpackCommit(structuredClone(packed, { transfer: [packed.records.buffer] }))).toEqual(
      appends,
    );
  });

  test('of one append, or of a thousand to as many streams', () => {
    for (const count of [1, 1_000]) {
      const appends = Array.from({ length: count }, (_, index) => ({
        stream: streamName(`s${index}`),
        batch: batchOf(`body ${index}`),
        timeMs: index,
      }));

      expect(unpackCommit(packCommit(appends))).toEqual(appends);
    }
  });
});

describe('outcomes that cross', () => {
  test('are the same on the other side, whatever their kind', () => {
    const stored = {
      kind: 'stored',
      start: offset(5),
      end: offset(7),
      timeMs: 1_795_946_400_000,
      duplicates: 1,
      opensSegment: true,
      streamId: idOf(1),
    } as const;
    const outcomes: CommitOutcome[] = [
      stored,
      { ...stored, duplicates: 3, byValue: [1, 4] },
      { ...stored, start: offset(2 ** 53 - 2), end: offset(2 ** 53 - 1), opensSegment: false },
      { kind: 'duplicate', duplicates: 2, next: offset(7), streamId: idOf(1) },
      {
        kind: 'duplicate',
        duplicates: 2,
        next: offset(7),
        streamId: idOf(2),
        range: { start: offset(0), end: offset(2) },
      },
      { ...stored, streamId: idOf(2), duplicates: 0 },
      { kind: 'reject', code: 'fenced' },
      { kind: 'reject', code: 'publisher_fenced', epoch: 3 },
      { kind: 'reject', code: 'offset_mismatch', next: offset(7) },
      { kind: 'reject', code: 'stream_not_found' },
    ];

    expect(unpackOutcomes(packOutcomes(outcomes))).toEqual(outcomes);
  });
});
