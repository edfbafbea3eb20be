/** A filtered reader of packed history reads what may match, and little else (SPEC F7). */
import { expect, test } from 'vitest';
import type { MessageFilter } from '../../lib/core/filter/filter.ts';
import { at } from '../support/batches.ts';
import { noise } from '../support/noise.ts';
import { taggedBatch } from '../support/tagged-batch.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openPackedStore, S, S_ID } from './packed-store.ts';

/** More than a block may grow to with another one: each message is a block of its own. */
const BLOCK_BYTES = 1_000_000;
const BLOCKS = 20;
const RARE = [3, 16, 17];

/** Behind the packed ones lies one that is not. */
function openHistory(folder: string) {
  const store = openPackedStore(folder, 5 * BLOCK_BYTES);
  store.create({ segment_max_bytes: 7 * BLOCK_BYTES });
  for (let n = 0; n <= BLOCKS; n++) {
    const value = RARE.includes(n) ? 'rare' : 'common';
    store.writer.commit([{ stream: S, batch: taggedBatch(value, noise(BLOCK_BYTES)), timeMs: n }]);
  }
  store.packAll();
  store.sweepAll();
  return store;
}

type PackedStore = ReturnType<typeof openPackedStore>;

function scan({ reader }: PackedStore, value: string, bytesMax: number): readonly number[] {
  const filter: MessageFilter = {
    match: 'all',
    parts: [{ kind: 'value', value }],
    matchUnfiltered: false,
  };
  const end = reader.tail(S)?.next ?? at(0);
  const seen: number[] = [];
  for (let from = at(0); from < end; ) {
    const scanned = reader.scan({ streamId: S_ID, from, end, bytesMax }, filter);
    if (scanned.end <= from) throw new Error(`nothing was looked at from ${from}`);
    seen.push(...scanned.chunks.map(({ base }) => base));
    from = scanned.end;
  }
  return seen;
}

test.each([
  ['rare', RARE],
  ['nowhere', []],
  ['common', Array.from({ length: BLOCKS }, (_, n) => n).filter((n) => !RARE.includes(n))],
])('F7: blocks without a match are passed over: %s', (value, offsets) => {
  using folder = temporaryFolder();
  const store = openHistory(folder.path);
  // What is not packed has no summary.
  const packedEnd = store.reader.segments({ streamId: S_ID, from: at(0), limit: 99 }).at(-1)?.first;
  const unpacked = Array.from({ length: BLOCKS + 1 }, (_, n) => n).slice(packedEnd);

  const expected = [...new Set([...offsets.filter((n) => n < (packedEnd ?? 0)), ...unpacked])];
  for (const bytesMax of [1, 3 * BLOCK_BYTES, Number.MAX_SAFE_INTEGER]) {
    expect(scan(store, value, bytesMax)).toEqual(expected);
  }
});

test('F7: what was dropped is no longer looked at', () => {
  using folder = temporaryFolder();
  const store = openHistory(folder.path);
  store.writer.trim(S_ID, at(7));
  const range = { streamId: S_ID, from: at(3), end: at(9), bytesMax: 1 };
  const filter = { match: 'all', parts: [], matchUnfiltered: false } as const;

  expect(store.reader.scan(range, filter)).toEqual({ chunks: [], end: 3 });
});
