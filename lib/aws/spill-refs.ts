/**
 * Moves refs from a full tail into the index (PROTOCOL R2): the index item first, which is never written
 * over, then out of the tail under the base that was read. Whoever stops in between leaves a copy that
 * the next one takes as it is.
 */
import type { TailRef } from '../format/tail-ref.ts';
import { numberValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import type { KnownStream } from './known-stream.ts';
import { decodeIndexItem, encodeIndexItem } from './stream-index.ts';
import type { UpdateRequest } from './table.ts';
import { tailKey } from './table-key.ts';
import { streamIdValue, type Tail } from './tail-item.ts';

/** Of 22 bytes each as a rule: a tail of so many, with eight publishers, is still one write unit. */
export const REFS_PER_INDEX_ITEM = 16;
/** Others spill as well: each try meets a tail that one of them made shorter. */
const TRIES_MAX = 8;

/**
 * Spills while `mustSpill` says so of the tail; gives the stream as the last step left it, or undefined
 * when it is gone.
 */
export async function spillWhile(
  context: AwsContext,
  from: KnownStream,
  mustSpill: (tail: Tail) => boolean,
): Promise<KnownStream | undefined> {
  let stream: KnownStream | undefined = from;
  for (let tries = 0; tries < TRIES_MAX && stream !== undefined; tries++) {
    if (stream.tail.streamId !== from.tail.streamId || !mustSpill(stream.tail)) break;
    stream = await spillOnce(context, stream);
  }
  return stream;
}

async function spillOnce(
  { table, streams }: AwsContext,
  stream: KnownStream,
): Promise<KnownStream | undefined> {
  const { name, tail } = stream;
  const count = spilledCount(tail.refs);
  const put = await table.put(
    {
      item: encodeIndexItem(tail.streamId, { ...tail, refs: tail.refs.slice(0, count) }),
      condition: 'attribute_not_exists(#k)',
    },
    'harmless',
  );
  // It is there already: what it holds decides, since readers may have seen it.
  const spilled =
    put.item === undefined ? tail.refs.slice(0, count) : decodeIndexItem(put.item).refs;
  if (spilled.length > tail.refs.length) return await streams.load(name);

  const cut = await table.update(removal(stream, spilled), 'harmless');
  return cut.item === undefined && cut.kind === 'refused'
    ? await streams.adopt(name, undefined)
    : await streams.adopt(name, cut.item);
}

/** A segment begins with an item of its own, so that sealing never has to cut one. */
function spilledCount(refs: readonly TailRef[]): number {
  const opening = refs.findIndex(({ opensSegment }, index) => index > 0 && opensSegment);
  return Math.min(opening < 0 ? refs.length : opening, REFS_PER_INDEX_ITEM);
}

function removal({ name, tail }: KnownStream, spilled: readonly TailRef[]): UpdateRequest {
  const end = spilled.reduce((sum, { count }) => sum + count, tail.base as number);
  const timeMs = spilled.reduce((time, ref) => Math.max(time, ref.timeMs), tail.timeBelowMs);
  // From the last to the first: a store that removed one after the other would hit the wrong ones.
  const paths = spilled.map((_, index) => `#r[${index}]`).reverse();
  return {
    key: tailKey(name),
    update: `SET #b = :end, #a = :time REMOVE ${paths.join(', ')}`,
    condition: '#i = :id AND #b = :base',
    values: {
      ':id': streamIdValue(tail.streamId),
      ':base': numberValue(tail.base),
      ':end': numberValue(end),
      ':time': numberValue(timeMs),
    },
  };
}
