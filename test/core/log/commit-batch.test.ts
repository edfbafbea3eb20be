import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CreatingAppend, planCommit } from '../../../lib/core/log/commit-batch.ts';
import type { RecordedValue, ValueMemory } from '../../../lib/core/log/deduplication.ts';
import type { PublisherName } from '../../../lib/core/log/ids.ts';
import type { PublisherRecord } from '../../../lib/core/log/publisher.ts';
import { newStreamState, type StreamState } from '../../../lib/core/log/stream-state.ts';
import type { RecordClaim } from '../../../lib/core/routing/routing-record.ts';
import { idOf, publisherName } from '../../support/batches.ts';
import { exchangeIdOf } from '../../support/exchange-steps.ts';

const ID = idOf(1);
const NAMES = [publisherName('p'), publisherName('q')];
const none = () => undefined;
const UNREADABLE = { kind: 'reject', field: 'f', reason: 'r' } as const;

function append(count: number, rest: Partial<CreatingAppend> = {}): CreatingAppend {
  return { count, timeMs: 1_000, bytesFrom: (index) => (count - index) * 10, ...rest };
}

/** Small numbers everywhere, so that appends meet each other's ids, offsets and epochs. */
const anyAppend: fc.Arbitrary<CreatingAppend> = fc.integer({ min: 1, max: 3 }).chain((count) =>
  fc.record(
    {
      count: fc.constant(count),
      timeMs: fc.integer({ min: 0, max: 50 }),
      bytesFrom: fc.constant((index: number) => (count - index) * 10),
      publisher: fc
        .tuple(fc.constantFrom(...NAMES), fc.nat(6), fc.option(fc.nat(2), { nil: undefined }))
        .map(([name, first, epoch]) => ({
          name,
          ids: Array.from({ length: count }, (_, index) => first + index),
          ...(epoch !== undefined && { epoch }),
        })),
      expectedOffset: fc.nat(8),
      fencingToken: fc.constantFrom('a', 'b'),
      createAs: fc.nat(3).map(idOf),
      valuesOf: anyValues(count),
      records: fc.uniqueArray(anyClaim(count), { maxLength: 2, selector: ({ value }) => value }),
    },
    { requiredKeys: ['count', 'timeMs', 'bytesFrom'] },
  ),
);

/** Some are of a record that is not there. */
function anyClaim(count: number): fc.Arbitrary<RecordClaim> {
  return fc.record({
    index: fc.nat(count - 1),
    exchangeId: fc.constant(exchangeIdOf(1)),
    value: fc.constantFrom('A', 'B', 'C', 'D'),
    rid: fc.constantFrom('r', 'r', 'r', 'other'),
  });
}

/** As a store knows it that has written down who was noted. */
function opennessOf(taken: readonly RecordClaim[]) {
  return ({ value, rid }: RecordClaim) => rid === 'r' && !taken.some((one) => one.value === value);
}

/** Of a few messages, so that values are met again soon; now and then something that cannot be read. */
function anyValues(count: number) {
  const message = fc.record(
    { index: fc.nat(count - 1), value: fc.constantFrom('A', 'B', 'C'), ttlMs: fc.nat(20) },
    { requiredKeys: ['index', 'value'] },
  );
  const messages = fc
    .uniqueArray(message, { maxLength: count, selector: ({ index }) => index })
    .map((some) => some.sort((a, b) => a.index - b.index))
    .map((some) => some.map((one) => ({ ...one, bytes: 10 })));
  return fc.oneof(
    {
      weight: 9,
      arbitrary: messages.map((some) => () => ({ kind: 'ok' as const, messages: some })),
    },
    { weight: 1, arbitrary: fc.constant(() => ({ ...UNREADABLE, index: 0 })) },
  );
}

const anyState: fc.Arbitrary<StreamState | undefined> = fc.option(
  fc
    .record({
      token: fc.constantFrom(undefined, 'a'),
      bytesMax: fc.constantFrom(20, 1_000),
      deduplication: fc.constantFrom(undefined, { header: 'h', cache_size: 2, cache_ttl: 30 }),
    })
    .map(({ token, bytesMax, deduplication }) => ({
      ...newStreamState(ID, {
        segment_max_bytes: bytesMax,
        segment_max_age: 30,
        ...(deduplication && { deduplication }),
      }),
      ...(token !== undefined && { fencingToken: token }),
    })),
  { nil: undefined },
);

/** Commits one by one, each on what the one before left. */
function commitEach(initial: StreamState | undefined, appends: readonly CreatingAppend[]) {
  const records = new Map<PublisherName, PublisherRecord>();
  const recorded: RecordedValue[] = [];
  const taken: RecordClaim[] = [];
  let state = initial;
  const outcomes = appends.map((each) => {
    const [values, isOpen] = [memoryOf(recorded), opennessOf([...taken])];
    const record = (name: PublisherName) => records.get(name);
    const plan = planCommit({ state, record, values, isOpen }, [each]);
    state = plan.state;
    taken.push(...plan.taken);
    recorded.push(...plan.recorded);
    for (const [name, record] of plan.changed) records.set(name, record);
    return plan.outcomes[0];
  });
  return { outcomes, state, changed: records, recorded, taken };
}

function memoryOf(recorded: readonly RecordedValue[]): ValueMemory {
  return {
    count: recorded.length,
    find: (value) => recorded.findLast((one) => one.value === value),
  };
}

const base = (state: StreamState | undefined) => {
  return { state, record: none, isOpen: opennessOf([]) };
};

describe('a batch of appends', () => {
  test('P1 P11 D2: is the same as its appends one by one', () => {
    fc.assert(
      fc.property(anyState, fc.array(anyAppend, { maxLength: 12 }), (state, appends) => {
        expect(planCommit(base(state), appends)).toEqual(commitEach(state, appends));
      }),
      { numRuns: 500 },
    );
  });

  test('P1 P11 D2: is the same however it is cut in two', () => {
    fc.assert(
      fc.property(
        anyState,
        fc.array(anyAppend, { maxLength: 12 }),
        fc.nat(12),
        (state, appends, cut) => {
          const whole = planCommit(base(state), appends);
          const first = planCommit(base(state), appends.slice(0, cut));
          const rest = planCommit(
            {
              state: first.state,
              record: (name) => first.changed.get(name),
              values: memoryOf(first.recorded),
              isOpen: opennessOf(first.taken),
            },
            appends.slice(cut),
          );

          expect([...first.outcomes, ...rest.outcomes]).toEqual(whole.outcomes);
          expect(rest.state).toEqual(whole.state);
          expect(new Map([...first.changed, ...rest.changed])).toEqual(whole.changed);
          expect([...first.recorded, ...rest.recorded]).toEqual(whole.recorded);
          expect([...first.taken, ...rest.taken]).toEqual(whole.taken);
        },
      ),
    );
  });

  test('P1: leaves no hole and stores no offset twice', () => {
    fc.assert(
      fc.property(anyState, fc.array(anyAppend, { maxLength: 12 }), (state, appends) => {
        const { outcomes, state: after } = planCommit({ state, record: none }, appends);
        let next = state?.next ?? 0;
        for (const outcome of outcomes) {
          if (outcome.kind !== 'stored') continue;
          expect(outcome.start).toBe(next);
          next = outcome.end;
        }
        expect(after?.next ?? 0).toBe(next);
      }),
    );
  });

  test('D2: sees the ids of those before it', () => {
    const publisher = (ids: readonly number[]) => ({
      publisher: { name: NAMES[0] ?? publisherName('p'), ids },
    });
    const state = newStreamState(ID, {});
    const plan = planCommit({ state, record: none }, [
      append(2, publisher([7, 8])),
      append(2, publisher([5, 6])),
      append(2, publisher([7, 8])),
      append(2, publisher([8, 9])),
    ]);

    expect(plan.outcomes).toMatchObject([
      { kind: 'stored', start: 0, end: 2, streamId: ID },
      { kind: 'duplicate', duplicates: 2, next: 2 },
      { kind: 'duplicate', range: { start: 0, end: 2 } },
      { kind: 'stored', start: 2, end: 3, duplicates: 1 },
    ]);
    expect(plan.outcomes[1]).not.toHaveProperty('range');
    expect(plan.state).toMatchObject({ next: 3, bytes: 30 });
  });
});

describe('a missing stream', () => {
  test('P12: is created by the first append that is stored and may create it', () => {
    const plan = planCommit({ state: undefined, record: none }, [
      append(1),
      append(1, { createAs: idOf(2), expectedOffset: 1 }),
      append(1, { createAs: idOf(3) }),
      append(1, { createAs: idOf(4) }),
      append(1),
    ]);

    expect(plan.outcomes).toMatchObject([
      { kind: 'reject', code: 'stream_not_found' },
      { kind: 'reject', code: 'offset_mismatch', next: 0 },
      { kind: 'stored', start: 0, streamId: idOf(3) },
      { kind: 'stored', start: 1, streamId: idOf(3) },
      { kind: 'stored', start: 2, streamId: idOf(3) },
    ]);
    expect(plan.state).toMatchObject({ streamId: idOf(3), settings: {}, next: 3 });
  });

  test('P12: stays missing when nothing is stored', () => {
    const refused = append(1, { createAs: ID, fencingToken: 'a' });

    expect(planCommit({ state: undefined, record: none }, [append(1), refused])).toEqual({
      outcomes: [
        { kind: 'reject', code: 'stream_not_found' },
        { kind: 'reject', code: 'fenced' },
      ],
      state: undefined,
      changed: new Map(),
      recorded: [],
      taken: [],
    });
  });

  test('T13: asks for no publisher of the one that had its name before', () => {
    const record = () => {
      throw new Error('a stream that is being created has no publishers');
    };
    const publisher = { name: publisherName('p'), ids: [1] };
    const plan = planCommit({ state: undefined, record }, [append(1, { createAs: ID, publisher })]);

    expect(plan.outcomes).toMatchObject([{ kind: 'stored', start: 0 }]);
    expect([...plan.changed.keys()]).toEqual(['p']);
  });
});
