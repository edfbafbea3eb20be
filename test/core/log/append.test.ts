import { describe, expect, test } from 'vitest';
import { AssertionFailed } from '../../../lib/core/assert.ts';
import { type AppendCommand, applyAppend } from '../../../lib/core/log/append.ts';
import type { PublisherRecord } from '../../../lib/core/log/publisher.ts';
import { newStreamState, type StreamState } from '../../../lib/core/log/stream-state.ts';
import { heldId } from '../../../lib/core/timer/held-id.ts';
import { at, idOf, publisherName } from '../../support/batches.ts';

const P = publisherName('p');

/** Messages of ten bytes each. */
function append(count: number, rest: Partial<AppendCommand> = {}): AppendCommand {
  return { count, timeMs: 1_000, bytesFrom: (index) => (count - index) * 10, ...rest };
}

const empty = newStreamState(idOf(1), {});
const segment = { first: at(0), bytesBefore: 0, firstTimeMs: 900 };
/** [2, 5) is retained, the newest chunk begins at 3. */
const full: StreamState = {
  ...empty,
  first: at(2),
  next: at(5),
  lastChunk: at(3),
  timeMs: 900,
  bytes: 50,
  segment,
  fencingToken: 'a',
};
const record: PublisherRecord = {
  highestId: 12,
  epoch: 3,
  latest: { firstId: 11, count: 2, start: at(3), end: at(5) },
};
const named = (ids: readonly number[], epoch = 3) => ({ publisher: { name: P, ids, epoch } });

describe('a stored append', () => {
  test('P1 P3: takes the next offsets, opens the first segment and counts its bytes', () => {
    expect(applyAppend(empty, {}, append(3))).toEqual({
      outcome: {
        kind: 'stored',
        start: 0,
        end: 3,
        timeMs: 1_000,
        duplicates: 0,
        opensSegment: true,
      },
      state: {
        ...empty,
        next: 3,
        lastChunk: 0,
        timeMs: 1_000,
        bytes: 30,
        segment: { first: 0, bytesBefore: 0, firstTimeMs: 1_000 },
      },
      record: undefined,
      recorded: [],
    });
  });

  test('P1: leaves first, token, settings and an open segment as they are', () => {
    expect(applyAppend(full, {}, append(2)).state).toEqual({
      ...full,
      next: 7,
      lastChunk: 5,
      timeMs: 1_000,
      bytes: 70,
    });
  });

  test('O18: a slow clock yields the running maximum', () => {
    const { outcome, state } = applyAppend(full, {}, append(1, { timeMs: 7 }));

    expect(outcome).toMatchObject({ kind: 'stored', timeMs: 900 });
    expect(state.timeMs).toBe(900);
  });

  test('T6: a full segment is followed by the next one', () => {
    const state = { ...full, settings: { segment_max_bytes: 50 } };

    expect(applyAppend(state, {}, append(1))).toMatchObject({
      outcome: { opensSegment: true },
      state: { segment: { first: 5, bytesBefore: 50, firstTimeMs: 1_000 } },
    });
  });

  test('D1 D4: of a publisher stores what is new, and remembers all of it', () => {
    const {
      outcome,
      state,
      record: after,
    } = applyAppend(full, { record }, append(4, named([11, 12, 13, 20])));

    expect(outcome).toMatchObject({ kind: 'stored', start: 5, end: 7, duplicates: 2 });
    expect(state).toMatchObject({ next: 7, bytes: 70 });
    expect(after).toEqual({
      highestId: 20,
      epoch: 3,
      latest: { firstId: 11, count: 4, start: 5, end: 7 },
    });
  });
});

describe('the order of checks', () => {
  const wrong = { fencingToken: 'b', ...named([12], 2), expectedOffset: 1 };
  const steps = [
    ['fencing token', wrong, { kind: 'reject', code: 'fenced' }],
    ['epoch', { fencingToken: 'a' }, { kind: 'reject', code: 'publisher_fenced', epoch: 3 }],
    ['publisher duplicate', named([12]), { kind: 'duplicate', duplicates: 1, next: 5 }],
    ['expected offset', named([13]), { kind: 'reject', code: 'offset_mismatch', next: 5 }],
  ] as const;

  test.each(steps)('P11 D10: a fault of the %s changes nothing', (_what, mended, expected) => {
    const index = steps.findIndex(([, step]) => step === mended);
    const command = append(
      1,
      Object.assign({}, ...steps.slice(0, index + 1).map(([, step]) => step)),
    );

    expect(applyAppend(full, { record }, command)).toEqual({
      outcome: expected,
      state: full,
      record,
      recorded: [],
    });
  });

  test('P11: with all of them mended it is stored', () => {
    const command = append(1, { fencingToken: 'a', ...named([13]), expectedOffset: 5 });

    expect(applyAppend(full, { record }, command).outcome.kind).toBe('stored');
  });

  test('D5: the repeat of the latest request is told where it stands', () => {
    expect(applyAppend(full, { record }, append(2, named([11, 12]))).outcome).toEqual({
      kind: 'duplicate',
      range: { start: 3, end: 5 },
      duplicates: 2,
      next: 5,
    });
  });

  test('P5: a token is refused on a stream without one, and none is never checked', () => {
    const token = { fencingToken: 'a' };

    expect(applyAppend(empty, {}, append(1, token)).outcome).toEqual({
      kind: 'reject',
      code: 'fenced',
    });
    expect(applyAppend(full, {}, append(1)).outcome.kind).toBe('stored');
  });

  test('P4: an expected offset of 0 is one', () => {
    expect(applyAppend(empty, {}, append(1, { expectedOffset: 0 })).outcome.kind).toBe('stored');
    expect(applyAppend(full, {}, append(1, { expectedOffset: 0 })).outcome).toEqual({
      kind: 'reject',
      code: 'offset_mismatch',
      next: 5,
    });
  });
});

describe('messages that are held', () => {
  const delay = (index: number) => ({ index, id: heldId(9_000, '0'.repeat(32)), bytes: 10 });

  test('L13: those that are not held are stored in a row', () => {
    const result = applyAppend(full, {}, append(4, { delays: [delay(0), delay(2)] }));
    expect(result.outcome).toMatchObject({ kind: 'stored', start: 5, end: 7, held: [0, 2] });
    expect(result.state).toMatchObject({ next: 7, lastChunk: 5, bytes: 70 });
  });

  test('L13: when all are, the stream is as it was', () => {
    const result = applyAppend(full, {}, append(2, { delays: [delay(0), delay(1)] }));
    expect(result).toEqual({
      outcome: { kind: 'held', held: [0, 1], duplicates: 0, next: 5 },
      state: full,
      record: undefined,
      recorded: [],
    });
  });

  test('L3: known ones are not held again, and the publisher is heard', () => {
    const command = append(3, { delays: [delay(0), delay(1), delay(2)], ...named([11, 12, 13]) });
    const result = applyAppend(full, { record }, command);
    expect(result.outcome).toMatchObject({ kind: 'held', held: [2], duplicates: 2 });
    expect(result.record).toMatchObject({ highestId: 13, latest: { start: 5, end: 5 } });
    const repeat = applyAppend(full, { record: result.record }, command);
    expect(repeat.outcome).toEqual({ kind: 'duplicate', duplicates: 3, next: 5 });
  });

  test('P4 P5: nothing is held of what is refused', () => {
    const delays = [delay(0)];
    expect(applyAppend(full, {}, append(1, { delays, fencingToken: 'b' })).outcome).toEqual({
      kind: 'reject',
      code: 'fenced',
    });
  });
});

test('an append of no message is a fault of this program', () => {
  expect(() => applyAppend(empty, {}, append(0))).toThrow(AssertionFailed);
});
