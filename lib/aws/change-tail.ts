/** Changes of a tail other than commits: trims (PROTOCOL R6) and fencing tokens. */
import type { Offset, StreamId } from '../core/log/ids.ts';
import type { TrimOutcome } from '../ports/log-store.ts';
import { StoreError } from '../ports/store-error.ts';
import { numberValue, textValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import { leaveRemoval } from './due-work.ts';
import type { KnownStream } from './known-stream.ts';
import { tailKey } from './table-key.ts';
import { decodeTail, streamIdValue, type Tail } from './tail-item.ts';

/** Each try after the first met another trim, or the end of some maintenance. */
const TRIES_MAX = 16;

/** `first` only rises, and only from the value that was read: so what was dropped is known exactly. */
export async function trimStream(
  context: AwsContext,
  streamId: StreamId,
  before: Offset | 'next',
): Promise<TrimOutcome | undefined> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const stream = await context.streams.loadById(streamId);
    if (stream === undefined) return undefined;
    const { first, next } = stream.tail;
    if (before !== 'next' && before > next) return { kind: 'beyond', next };
    if ((before === 'next' ? next : before) <= first) return { kind: 'trimmed', first, dropped: 0 };

    const raised = await raiseFirst(context, stream, before);
    if (raised !== undefined) {
      return { kind: 'trimmed', first: raised.first, dropped: raised.first - first };
    }
  }
  throw new StoreError(`other trims came between ${TRIES_MAX} tries`, {
    kind: 'unavailable',
    sideEffects: 'none',
  });
}

/** Undefined when another change came between. */
export async function raiseFirst(
  context: AwsContext,
  { name, tail }: KnownStream,
  before: Offset | 'next',
): Promise<Tail | undefined> {
  const { table, streams } = context;
  const isPurge = before === 'next';
  await leaveRemoval(context, tail.streamId);
  const result = await table.update(
    {
      key: tailKey(name),
      update: `SET #t = ${isPurge ? '#n[0]' : ':before'}, #w = #w + :one`,
      condition: '#i = :id AND #t = :first AND #w = :work',
      values: {
        ':id': streamIdValue(tail.streamId),
        ':first': numberValue(tail.first),
        ':work': numberValue(tail.workVersion),
        ':one': numberValue(1),
        ...(!isPurge && { ':before': numberValue(before) }),
      },
    },
    'once',
  );
  if (result.kind === 'refused' || result.item === undefined) return undefined;
  await streams.adopt(name, result.item);
  return decodeTail(result.item);
}

/** False when the stream is gone. */
export async function setFencingToken(
  { table, streams }: AwsContext,
  streamId: StreamId,
  token: string | undefined,
): Promise<boolean> {
  const stream = await streams.knownById(streamId);
  if (stream === undefined) return false;
  const result = await table.update(
    {
      key: tailKey(stream.name),
      update: token === undefined ? 'REMOVE #f' : 'SET #f = :token',
      condition: '#i = :id',
      values: {
        ':id': streamIdValue(streamId),
        ...(token !== undefined && { ':token': textValue(token) }),
      },
    },
    // Sent again it could land behind another client's token, and let in again whom that one shut out.
    'once',
  );
  await streams.adopt(stream.name, result.item);
  return result.kind === 'done';
}
