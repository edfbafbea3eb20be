import { describe, expect, test } from 'vitest';
import { type IdsRequest, planPublishingIds } from '../../../lib/core/log/publishing-ids.ts';

const LARGEST = Number.MAX_SAFE_INTEGER;
const plan = (request: Partial<IdsRequest>) =>
  planPublishingIds({
    count: 1,
    publisher: undefined,
    epoch: undefined,
    firstId: undefined,
    messageIds: [],
    ...request,
  });
const reject = (field: string, reason: string) => ({ kind: 'reject', field, reason });

test('D7: without a publisher there are none', () => {
  expect(plan({})).toEqual({ kind: 'unnamed' });
});

describe('ids for the request', () => {
  test.each([
    [0, 1, [0]],
    [41, 3, [41, 42, 43]],
    [LARGEST, 1, [LARGEST]],
    [LARGEST - 2, 3, [LARGEST - 2, LARGEST - 1, LARGEST]],
  ])('D3: %d for %d messages', (firstId, count, ids) => {
    expect(plan({ publisher: 'p', firstId, count })).toEqual({ kind: 'named', ids });
  });

  test.each([
    [LARGEST, 2],
    [LARGEST, 3],
    [LARGEST - 1, 3],
    [LARGEST - 9_998, 10_000],
  ])('D3: never beyond 2^53 - 1: %d for %d messages', (firstId, count) => {
    expect(plan({ publisher: 'p', firstId, count })).toEqual(
      reject('publishing_id', `publishing_id ${firstId} of ${count} messages ends above 2^53 - 1`),
    );
  });
});

describe('ids for each message', () => {
  test('D4: rise, with gaps', () => {
    const messageIds = [0, 7, LARGEST];

    expect(plan({ publisher: 'p', count: 3, messageIds })).toEqual({
      kind: 'named',
      ids: messageIds,
    });
  });

  test.each([
    [[2, 1], 'message 1 has 1 after 2'],
    [[1, 2, 2], 'message 2 has 2 after 2'],
    [[0, 0], 'message 1 has 0 after 0'],
  ])('D2: are refused when they do not rise: %j', (messageIds, what) => {
    expect(plan({ publisher: 'p', count: messageIds.length, messageIds })).toEqual(
      reject('publishing_id', `publishing ids must rise: ${what}`),
    );
  });
});

const NEEDED = 'a named publish needs publishing_id for the first message or for every one';

test.for([
  ['an epoch alone', { epoch: 0 }, 'epoch', 'epoch needs a publisher'],
  ['an id alone', { firstId: 0 }, 'publishing_id', 'publishing_id needs a publisher'],
  ['message ids alone', { messageIds: [0] }, 'publishing_id', 'publishing_id needs a publisher'],
  ['a publisher alone', { publisher: 'p' }, 'publishing_id', NEEDED],
  [
    'an id missing',
    { publisher: 'p', count: 2, messageIds: [1, undefined] },
    'publishing_id',
    NEEDED,
  ],
  [
    'no id at all',
    { publisher: 'p', count: 2, messageIds: [undefined, undefined] },
    'publishing_id',
    NEEDED,
  ],
  [
    'both forms',
    { publisher: 'p', firstId: 1, messageIds: [1] },
    'publishing_id',
    'give publishing_id for the request or with every message, not both',
  ],
] as const)('D7 D2: is refused: %s', ([, request, field, reason]) => {
  expect(plan(request)).toEqual(reject(field, reason));
});
