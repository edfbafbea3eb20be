/** The tail at its largest, one thing at a time: each commit is charged for all of it. */
import { expect, test } from 'vitest';
import {
  bytesValue,
  listOf,
  listValue,
  numberOf,
  numberValue,
} from '../../../lib/aws/attribute.ts';
import type { Item } from '../../../lib/aws/table.ts';
import type { StreamName } from '../../../lib/core/log/ids.ts';
import { encodeTailRef } from '../../../lib/format/tail-ref.ts';
import { encodeUlid } from '../../../lib/format/ulid.ts';
import type { Append } from '../../../lib/ports/log-store.ts';
import { START_MS } from '../../support/api.ts';
import { publisherName, streamName } from '../../support/batches.ts';
import {
  appendTo,
  type CountedStore,
  create,
  openCountedStore,
  rewriteTail,
} from './counted-store.ts';

const SHORT = streamName('ten-bytes-');
/** In the key it would be charged with every commit, so the key has its hash. */
const LONGEST = streamName('n'.repeat(255));
/** Sixteen digits: as far as offsets, ids and sizes go. */
const GREATEST = Number.MAX_SAFE_INTEGER - 1_000;
const TOKEN = 'a-token-of-36-bytes-as-uuids-have-it';

interface LargeTail {
  readonly name: StreamName;
  readonly refs: number;
  readonly publishers: number;
  readonly cancelled?: number;
  readonly token?: string;
  readonly greatest?: boolean;
}

const USUAL: LargeTail = { name: SHORT, refs: 15, publishers: 0 };

test.each([
  ['as a rule', USUAL, 1],
  ['8 publishers', { ...USUAL, publishers: 8 }, 1],
  ['8 cancelled ids', { ...USUAL, cancelled: 8 }, 1],
  ['8 cancelled ids and 8 publishers', { ...USUAL, cancelled: 8, publishers: 8 }, 1],
  ['a name of 255 bytes', { ...USUAL, name: LONGEST }, 1],
  ['a name of 255 bytes and 8 publishers', { ...USUAL, name: LONGEST, publishers: 8 }, 1],
  ['a fencing token and 8 publishers', { ...USUAL, token: TOKEN, publishers: 8 }, 1],
  ['the greatest numbers', { ...USUAL, greatest: true }, 1],
  [
    'the greatest numbers, 8 publishers, a token, a name of 255 bytes, 2 cancelled ids',
    { name: LONGEST, refs: 15, publishers: 8, greatest: true, token: TOKEN, cancelled: 2 },
    1,
  ],
  ['31 publishers', { ...USUAL, publishers: 31 }, 2],
  ['64 refs', { ...USUAL, refs: 63 }, 2],
  ['64 refs and 31 publishers', { ...USUAL, refs: 63, publishers: 31 }, 3],
  [
    'all of it at the same time',
    { name: LONGEST, refs: 63, publishers: 31, greatest: true, token: TOKEN, cancelled: 8 },
    4,
  ],
])('a commit to a tail with %s is charged for its bytes', async (_what, tail, units) => {
  const store = await openWith(tail);

  expect(await commitUnits(store, tail)).toBe(units);
});

test('a tail that nobody could spill is made room in before the commit that found it full', async () => {
  const store = await openWith({ ...USUAL, refs: 64 });

  const cost = await store.costOf(() => store.log.commit([appendTo(store)]));

  // A tail of 64 or 49 refs is two units, one of 33 or 17 is one; each index item is one more.
  const [refusal, room, commit, spills] = [2, 2 + 1, 2, 2 + 1 + (1 + 1) + (1 + 1)];
  const writeUnits = refusal + room + commit + spills;
  expect(cost).toEqual({ puts: 1, gets: 0, writeUnits, readUnits: 0 });
});

async function openWith(tail: LargeTail): Promise<CountedStore> {
  const store = openCountedStore();
  await create(store, {}, { name: tail.name });
  await rewriteTail(store, () => largeTail(tail), tail.name);
  await store.log.tail(tail.name);
  // A publish of each is what their entries are made by; then the tail gets its refs.
  for (let number = 0; number < tail.publishers; number++) {
    await store.log.commit([appendTo(store, by(tail, number, 1))]);
  }
  await rewriteTail(store, (item) => refsOf(item, tail), tail.name);
  await store.log.tail(tail.name);
  return store;
}

function largeTail({ greatest, cancelled = 0, token }: LargeTail): Item {
  const number = numberValue(greatest ? GREATEST : 1_234_567_891);
  return {
    n: listValue(number),
    b: number,
    l: number,
    t: number,
    y: number,
    a: numberValue(START_MS),
    // Segments do not end by their bytes here.
    g: listValue(numberValue(1), number, numberValue(START_MS)),
    h: bytesValue(encodeUlid(1, '0'.repeat(20))),
    ...(cancelled > 0 && {
      c: { BS: Array.from({ length: cancelled }, (_, index) => ulid(START_MS - 1 - index)) },
    }),
    ...(token !== undefined && { f: { S: token } }),
  };
}

/** So many refs of one message each, behind which the offsets go on as they did. */
function refsOf(item: Item, { refs, greatest }: LargeTail): Item {
  const [next] = listOf(item, 'n');
  const end = next !== undefined && 'N' in next ? Number(next.N) : 0;
  const [count, bytes] = greatest ? [10_000, 4 * 1024 * 1024] : [1, 256];
  const list = Array.from({ length: refs }, (_, index) =>
    bytesValue(
      encodeTailRef({
        ulid: ulid(START_MS + index),
        count,
        bytes,
        timeMs: START_MS + index,
        opensSegment: false,
      }),
    ),
  );
  const base = numberValue(end - refs * count);
  expect(numberOf({ b: base }, 'b')).toBeLessThan(end);
  return { r: listValue(...list), b: base, t: base };
}

async function commitUnits(store: CountedStore, tail: LargeTail): Promise<number | undefined> {
  const before = store.table.costs.length;
  const append = tail.publishers > 0 ? by(tail, 0, 2) : {};
  const [outcome] = await store.log.commit([appendTo(store, { name: tail.name, ...append })]);
  expect(outcome?.kind).toBe('stored');
  return store.table.costs.slice(before).find(({ operation }) => operation === 'update')
    ?.writeUnits;
}

function by({ name, greatest }: LargeTail, number: number, step: number) {
  const ids = [(greatest ? GREATEST : 1_234_567_890) + step];
  const publisher: Append['publisher'] = { name: publisherName(`publisher-${number}`), ids };
  return { name, publisher };
}

function ulid(timeMs: number) {
  return encodeUlid(timeMs, 'f'.repeat(20));
}
