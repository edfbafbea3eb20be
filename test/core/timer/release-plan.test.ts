import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type PlannedMessage,
  planRelease,
  RELEASED_MAX,
} from '../../../lib/core/timer/release-plan.ts';
import { idOf, streamName } from '../../support/batches.ts';

const MIB = 1024 * 1024;
const stream = (number: number) => ({ name: streamName(`s${number}`), id: idOf(number) });
const to = (streams: readonly number[], bytes = 1, isDirect = false): PlannedMessage => ({
  bytes,
  routing: { kind: 'to', destinations: streams.map(stream), isDirect },
});
const dropped = (reason: 'unroutable' | 'target_deleted'): PlannedMessage => ({
  bytes: 1,
  routing: { kind: 'dropped', reason },
});

describe('a release', () => {
  test('L4 L7: gives each stream what is its own, in its order', () => {
    expect(
      planRelease([
        to([1]),
        to([1, 2], 1, true),
        dropped('unroutable'),
        to([2]),
        dropped('target_deleted'),
      ]),
    ).toEqual({
      count: 5,
      sendings: [
        { destination: stream(1), indexes: [0, 1], recordedBefore: [1] },
        { destination: stream(2), indexes: [1, 3], recordedBefore: [0] },
      ],
      dropped: { unroutable: 1, target_deleted: 1 },
    });
  });

  test('L5: covers so many, and reads no further', () => {
    let read = 0;
    function* endless() {
      for (;;) {
        read++;
        yield to([1]);
      }
    }
    expect(planRelease(endless()).count).toBe(RELEASED_MAX);
    expect(read).toBe(RELEASED_MAX + 1);
  });

  test('L5: ends before a stream would get more than a publish may store', () => {
    const plan = planRelease([to([1], 3 * MIB), to([2], 3 * MIB), to([1], MIB), to([1]), to([2])]);
    expect(plan.count).toBe(3);
    expect(plan.sendings.map(({ indexes }) => indexes)).toEqual([[0, 2], [1]]);
  });

  test('L5: one message goes, whatever its size and the number of its streams', () => {
    const many = Array.from({ length: 100 }, (_, number) => number + 1);
    expect(planRelease([to(many, 5 * MIB), to([1])])).toMatchObject({ count: 1 });
  });

  test('L4: nothing is passed over for what fits', () => {
    const message = fc.record({
      streams: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
      bytes: fc.integer({ min: 1, max: 2 * MIB }),
    });
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 30 }), (messages) => {
        const all = messages.map(({ streams, bytes }) =>
          streams.length === 0 ? dropped('unroutable') : to(streams, bytes),
        );
        const { count, sendings, dropped: gone } = planRelease(all);
        const covered = messages.slice(0, count);
        // Every message that is covered goes to each of its streams once, or is counted.
        for (const { destination, indexes } of sendings) {
          const own = covered.flatMap(({ streams }, index) =>
            streams.some((number) => idOf(number) === destination.id) ? [index] : [],
          );
          expect(indexes).toEqual(own);
        }
        const copies = covered.reduce((sum, { streams }) => sum + streams.length, 0);
        expect(sendings.reduce((sum, { indexes }) => sum + indexes.length, 0)).toBe(copies);
        expect(gone.unroutable).toBe(covered.filter(({ streams }) => streams.length === 0).length);
      }),
    );
  });
});
