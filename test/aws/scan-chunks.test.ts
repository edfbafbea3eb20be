/** A filtered reader of packed history fetches what may match, and little else (SPEC F7). */
import { describe, expect, test } from 'vitest';
import type { Objects } from '../../lib/aws/objects.ts';
import type { MessageFilter } from '../../lib/core/filter/filter.ts';
import { append, createStream, publish, STREAM, STREAM_ID } from '../contract/contract-steps.ts';
import { at } from '../support/batches.ts';
import { type MemoryAws, openMemoryAws } from '../support/memory-aws.ts';
import { noise } from '../support/noise.ts';
import { taggedBatch } from '../support/tagged-batch.ts';
import { collectAll, packAll } from './segment-steps.ts';

/** More than a block may grow to with another one: each message is a block of its own. */
const BLOCK_BYTES = 1_000_000;
const BLOCKS = 30;
const IN_SEGMENT = 10;
const IN_PIECE = 5;
const PIECES = BLOCKS / IN_PIECE;
/** Two of them side by side in one piece. */
const RARE = [3, 16, 17, 19, 29];

/** A message of noise a commit; those with a rare value are few. Behind them one that is not packed. */
async function openHistory(): Promise<MemoryAws> {
  const packing = { pieceBytes: Number.MAX_SAFE_INTEGER, pieceObjectsMax: IN_PIECE };
  const store = openMemoryAws({ packing });
  await createStream(store, { segment_max_bytes: IN_SEGMENT * BLOCK_BYTES });
  for (let n = 0; n < BLOCKS; n++) {
    const value = RARE.includes(n) ? 'rare' : 'common';
    await publish(store, append(taggedBatch(value, noise(BLOCK_BYTES))));
  }
  await publish(store, append(taggedBatch('active', noise(10))));
  await packAll(store);
  await collectAll(store);
  return store;
}

interface Counted {
  readonly reader: MemoryAws;
  /** Bytes of each read of a part of an object. */
  readonly reads: number[];
}

function countReads(store: MemoryAws): Counted {
  const reads: number[] = [];
  const counting = (objects: Objects): Objects => ({
    ...objects,
    getRange(name, range) {
      reads.push(range.end - range.start);
      return objects.getRange(name, range);
    },
  });
  return { reader: store.another({ objects: counting }), reads };
}

function wanting(value: string): MessageFilter {
  return { match: 'all', parts: [{ kind: 'value', value }], matchUnfiltered: false };
}

/** Offsets of the chunks that a reader is given as it goes on from `end` to where the stream ends. */
async function scan({ log }: MemoryAws, filter: MessageFilter, bytesMax = 9 * BLOCK_BYTES) {
  const end = (await log.tail(STREAM))?.next ?? at(0);
  const seen: number[] = [];
  for (let from = at(0); from < end; ) {
    const range = { streamId: STREAM_ID, from, end, bytesMax };
    const scanned = await log.scanChunks(range, filter);
    if (scanned.end <= from) throw new Error(`nothing was looked at from ${from}`);
    seen.push(...scanned.chunks.map(({ base }) => base));
    from = scanned.end;
  }
  return seen;
}

describe('F7: of packed history', () => {
  test('blocks without a match are not fetched', async () => {
    const { reader, reads } = countReads(await openHistory());
    expect(await scan(reader, wanting('rare'))).toEqual([...RARE, BLOCKS]);

    const ofBlocks = reads.filter((bytes) => bytes >= BLOCK_BYTES);
    const ofIndexes = reads.filter((bytes) => bytes < BLOCK_BYTES);
    // Two that lie side by side are one request.
    expect(ofBlocks).toHaveLength(RARE.length - 1);
    expect(sum(ofBlocks)).toBeLessThan(BLOCK_BYTES * RARE.length * 1.01);
    expect(ofIndexes).toHaveLength(PIECES);
    expect(sum(ofIndexes)).toBeLessThan(PIECES * 1_000);
  }, 30_000);

  test('nothing but the indexes is fetched for a value that is nowhere', async () => {
    const { reader, reads } = countReads(await openHistory());
    expect(await scan(reader, wanting('nowhere'))).toEqual([BLOCKS]);

    expect(reads).toHaveLength(PIECES);
  }, 30_000);

  test('all is fetched for what every message has, in whatever pages', async () => {
    const { reader } = countReads(await openHistory());
    const all = Array.from({ length: BLOCKS + 1 }, (_, index) => index);

    expect(await scan(reader, wanting('common'), 1)).toEqual(
      all.filter((offset) => !RARE.includes(offset)),
    );
  }, 30_000);
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
