import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  judgeSegment,
  keptDelivery,
  planRetention,
  type RetainedSegment,
  type RetentionQuestion,
} from '../../../lib/core/log/retention.ts';
import { effectiveSettings, type StreamSettings } from '../../../lib/core/log/settings.ts';

/** Sealed segments of these lengths, 10 bytes a message, the last message of each at the given times. */
function sealed(
  lengths: readonly number[],
  lastTimesMs: readonly number[] = [],
): RetainedSegment[] {
  let end = 0;
  return lengths.map((length, index) => {
    const first = end;
    end += length;
    return { first, end, bytesThrough: end * 10, lastTimeMs: lastTimesMs[index] ?? 0 };
  });
}

/** With `active` messages of 10 bytes behind the sealed ones. */
function ask(
  settings: StreamSettings,
  { next, nowMs = 0, holders = [] }: { next: number } & Partial<RetentionQuestion>,
): RetentionQuestion {
  return { settings: effectiveSettings(settings), next, bytes: next * 10, nowMs, holders };
}

describe('lengths', () => {
  test.each<[string, readonly number[], number, StreamSettings, number | undefined]>([
    ['1000 sealed and 99 active stay for 100', [1_000], 1_099, { max_length: 100 }, undefined],
    ['1000 sealed and 99 active: 99 may remain', [1_000], 1_099, { max_length: 99 }, 1_000],
    [
      'five of 100, the last active: 100 remain',
      [100, 100, 100, 100],
      500,
      { max_length: 100 },
      400,
    ],
    ['101 remain', [100, 100, 100, 100], 500, { max_length: 101 }, 300],
    ['200 remain', [100, 100, 100, 100], 500, { max_length: 200 }, 300],
    ['all of 500 are wanted', [100, 100, 100, 100], 500, { max_length: 500 }, undefined],
    ['more than there are', [100, 100, 100, 100], 500, { max_length: 1_000 }, undefined],
    ['none is wanted: the active one stays', [1, 1], 3, { max_length: 0 }, 2],
    ['one is wanted', [1, 1], 3, { max_length: 1 }, 2],
    ['one byte is wanted', [1, 1], 3, { max_length_bytes: 1 }, 2],
    ['bytes reached exactly', [100, 100, 100, 100], 440, { max_length_bytes: 2_400 }, 200],
    ['a byte more', [100, 100, 100, 100], 440, { max_length_bytes: 2_401 }, 100],
    ['all bytes', [100, 100, 100, 100], 440, { max_length_bytes: 4_400 }, undefined],
    ['no limit', [100, 100, 100, 100], 440, {}, undefined],
  ])('T3: %s', (...[, lengths, next, settings, dropBelow]) => {
    expect(planRetention(sealed(lengths), ask(settings, { next })).dropBelow).toBe(dropBelow);
  });
});

describe('age', () => {
  test.each([
    [59_999, undefined],
    [60_000, 10],
    [9_999_999, 10],
  ])('T4: of the last message, reached exactly: at %d ms drops below %s', (nowMs, dropBelow) => {
    const [old] = sealed([10], [0]);
    const question = ask({ max_age: 60_000 }, { next: 11, nowMs });

    expect(planRetention(old ? [old] : [], question).dropBelow).toBe(dropBelow);
  });

  test('T4: says when the oldest that stays will reach it', () => {
    const question = ask({ max_age: 60_000 }, { next: 30, nowMs: 61_000 });

    expect(planRetention(sealed([10, 10], [1_000, 2_000]), question)).toEqual({
      dropBelow: 10,
      kept: {
        segment: sealed([10, 10], [1_000, 2_000])[1],
        verdict: { kind: 'keep', why: 'within-limits', expiresMs: 62_000 },
      },
    });
  });

  test('T1: any of several limits drops', () => {
    const segments = sealed([100, 100], [1_000, 2_000]);
    const limits = { max_length: 1_000, max_age: 10_000 };

    expect(planRetention(segments, ask(limits, { next: 300, nowMs: 12_000 })).dropBelow).toBe(200);
  });
});

describe('what is held', () => {
  const segments = sealed([100, 100, 100]);
  const expired = (holders: RetentionQuestion['holders'], settings: StreamSettings = {}) =>
    planRetention(
      segments,
      ask({ max_age: 1, ...settings }, { next: 301, nowMs: 10_000, holders }),
    );

  test('T8: nothing is dropped that the slowest group has not finished', () => {
    const slow = { group: 'g', committed: 150 };

    expect(expired([slow, { group: 'h', committed: 250 }])).toEqual({
      dropBelow: 100,
      kept: {
        segment: segments[1],
        verdict: { kind: 'keep', why: 'held', limit: 'max_age', heldBy: [slow] },
      },
    });
    expect(expired([{ group: 'g', committed: 200 }]).dropBelow).toBe(200);
    expect(expired([{ group: 'g', committed: 300 }]).dropBelow).toBe(300);
  });

  test('T8: a group that nobody used for long enough holds no longer', () => {
    const [idle, busy] = [
      { group: 'g', committed: 150, inactiveAtMs: 10_001 },
      { group: 'h', committed: 250 },
    ];

    expect(expired([idle, busy]).dropBelow).toBe(100);
    expect(expired([{ ...idle, inactiveAtMs: 10_000 }, busy])).toMatchObject({
      dropBelow: 200,
      kept: { verdict: { heldBy: [busy] } },
    });
  });

  test('T8: or all of them are passed over, when the stream says so', () => {
    const holders = [{ group: 'g', committed: 150 }];

    expect(expired(holders, { allow_drop_past_committed: true }).dropBelow).toBe(300);
  });

  test.each([
    [0, { offset: 5, count: 10 }],
    [5, { offset: 5, count: 10 }],
    [7, { offset: 7, count: 8 }],
    [14, { offset: 14, count: 1 }],
    [15, undefined],
    [99, undefined],
  ])(
    'T10: of a delivery of [5, 15) is left, with everything below %d dropped: %j',
    (first, left) => {
      expect(keptDelivery({ offset: 5, count: 10 }, first)).toEqual(left);
    },
  );
});

describe('what is not known', () => {
  test.each([
    ['its last timestamp', { lastTimeMs: undefined }],
    ['its bytes', { bytesThrough: undefined }],
  ])('T7: keeps a segment without %s, and all behind it', (_name, unknown) => {
    const [first, second] = sealed([10, 10]);
    if (first === undefined || second === undefined) throw new Error('no segments');
    const question = ask({ max_age: 1, max_length: 0 }, { next: 21, nowMs: 1_000 });

    expect(planRetention([{ ...first, ...unknown }, second], question)).toMatchObject({
      dropBelow: undefined,
      kept: { verdict: { kind: 'keep', why: 'unknown' } },
    });
  });
});

const history = fc.record({
  lengths: fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 8 }),
  active: fc.integer({ min: 1, max: 50 }),
  wanted: fc.nat(300),
});

test('T2 T3: drops a prefix of whole segments, as much as possible, and leaves what was asked for', () => {
  fc.assert(
    fc.property(history, ({ lengths, active, wanted }) => {
      const segments = sealed(lengths);
      const next = (segments.at(-1)?.end ?? 0) + active;
      const question = ask({ max_length: wanted }, { next });
      const { dropBelow = 0, kept } = planRetention(segments, question);

      expect([0, ...segments.map(({ end }) => end)]).toContain(dropBelow);
      if (dropBelow > 0) expect(next - dropBelow).toBeGreaterThanOrEqual(wanted);
      const oldest = segments.find(({ first }) => first === dropBelow);
      expect(kept?.segment).toEqual(oldest);
      if (oldest === undefined) return;
      expect(next - oldest.end).toBeLessThan(wanted);
      expect(judgeSegment(oldest, question).kind).toBe('keep');
    }),
  );
});

test('T2: takes no more segments than it needs', () => {
  const taken: number[] = [];
  function* lazily() {
    for (const segment of sealed([10, 10, 10, 10])) {
      taken.push(segment.first);
      yield segment;
    }
  }
  planRetention(lazily(), ask({ max_length: 25 }, { next: 45 }));

  // [0, 10) and [10, 20) go: 25 remain. The third one stays.
  expect(taken).toEqual([0, 10, 20]);
});
