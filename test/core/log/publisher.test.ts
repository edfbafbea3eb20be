import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AssertionFailed } from '../../../lib/core/assert.ts';
import {
  applyStored,
  judgePublisher,
  type PublisherRecord,
  planEviction,
} from '../../../lib/core/log/publisher.ts';
import { at, publisherName } from '../../support/batches.ts';

const NAME = publisherName('p');
const claim = (ids: readonly number[], epoch?: number) => ({
  name: NAME,
  ids,
  ...(epoch !== undefined && { epoch }),
});
const record: PublisherRecord = {
  highestId: 14,
  latest: { firstId: 10, count: 5, start: at(50), end: at(55) },
};

describe('the verdict on a claim', () => {
  test.for([
    ['of an unknown publisher', undefined, [0], { kind: 'new', duplicates: 0 }],
    ['with any first id', undefined, [41, 77], { kind: 'new', duplicates: 0 }],
    ['above the highest', record, [15], { kind: 'new', duplicates: 0 }],
    ['with a gap', record, [100, 2 ** 53 - 1], { kind: 'new', duplicates: 0 }],
    ['that is partly known', record, [13, 14, 15, 20], { kind: 'new', duplicates: 2 }],
    ['at the highest', record, [14], { kind: 'duplicate' }],
    ['below the highest', record, [1, 2], { kind: 'duplicate' }],
    [
      'that is the latest',
      record,
      [10, 11, 12, 13, 14],
      { kind: 'duplicate', range: { start: 50, end: 55 } },
    ],
    ['that is the front of the latest', record, [10, 11], { kind: 'duplicate' }],
    ['as long as the latest', record, [9, 10, 11, 12, 13], { kind: 'duplicate' }],
  ] as const)('D2 D3 D4 D5: %s', ([, known, ids, verdict]) => {
    expect(judgePublisher(known, claim(ids))).toEqual(verdict);
  });

  test.each([
    [undefined, 1, 'new'],
    [undefined, undefined, 'new'],
    [2, 1, 'fenced'],
    [2, undefined, 'fenced'],
    [2, 2, 'new'],
    [2, 3, 'new'],
    [0, undefined, 'fenced'],
    [0, 0, 'new'],
  ] as const)('D11: epoch %s known, %s claimed: %s', (known, claimed, kind) => {
    const verdict = judgePublisher(
      { ...record, ...(known !== undefined && { epoch: known }) },
      claim([15], claimed),
    );

    expect(verdict).toEqual(kind === 'new' ? { kind, duplicates: 0 } : { kind, epoch: known });
  });

  test('D11: a fenced publisher is fenced whether its ids are known or not', () => {
    for (const ids of [[14], [15], [10, 11, 12, 13, 14]]) {
      expect(judgePublisher({ ...record, epoch: 2 }, claim(ids, 1)).kind).toBe('fenced');
    }
  });
});

describe('the record after messages were stored', () => {
  const stored = { start: 60, end: 62 };

  test('D1 D5: holds the highest id and the place of the request', () => {
    expect(applyStored(record, claim([13, 14, 15, 20]), stored)).toEqual({
      highestId: 20,
      latest: { firstId: 13, count: 4, start: 60, end: 62 },
    });
  });

  test('D11: keeps the epoch unless another one is claimed', () => {
    const known = { ...record, epoch: 2 };

    expect(applyStored(known, claim([15]), stored).epoch).toBe(2);
    expect(applyStored(known, claim([15], 3), stored).epoch).toBe(3);
    expect(applyStored(undefined, claim([15], 0), stored).epoch).toBe(0);
    expect(applyStored(undefined, claim([15]), stored)).not.toHaveProperty('epoch');
  });

  test('that would fall, or of a claim without ids, is a fault of this program', () => {
    expect(() => applyStored(record, claim([14]), stored)).toThrow(AssertionFailed);
    expect(() => applyStored(undefined, claim([]), stored)).toThrow(AssertionFailed);
  });

  test('D2: however a publisher repeats itself, each id is stored once', () => {
    const requests = fc.array(fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 4 })), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(requests, (sent) => {
        let known: PublisherRecord | undefined;
        const log: number[] = [];
        for (const [first, count] of sent) {
          const ids = Array.from({ length: count }, (_, index) => first + index);
          const verdict = judgePublisher(known, claim(ids));
          if (verdict.kind !== 'new') continue;

          const start = log.length;
          log.push(...ids.slice(verdict.duplicates));
          known = applyStored(known, claim(ids), { start, end: log.length });
        }
        expect(log).toEqual([...new Set(log)].sort((a, b) => a - b));
        expect(known?.highestId).toBe(log.at(-1));
      }),
    );
  });
});

describe('who is forgotten', () => {
  const recordsEnding = (...ends: readonly number[]) =>
    new Map(
      ends.map((end, index) => [
        publisherName(`p${index}`),
        { ...record, latest: { ...record.latest, start: at(0), end: at(end) } },
      ]),
    );

  test.for([
    ['nobody below the limit', [5, 3], 3, []],
    ['nobody at the limit', [5, 3, 9], 3, []],
    ['the one whose last message is oldest', [5, 3, 9, 4], 3, ['p1']],
    ['as many as are too many, the oldest first', [5, 3, 9, 4], 1, ['p1', 'p3', 'p0']],
    ['everybody', [1], 0, ['p0']],
  ] as const)('D9: %s', ([, ends, countMax, names]) => {
    expect(planEviction(recordsEnding(...ends), countMax)).toEqual(names);
  });
});
