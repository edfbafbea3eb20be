/**
 * A lease on a stream's maintenance: keeps two maintainers from doing the same long work at the same time.
 * It saves work and fences nothing (PROTOCOL, invariant 4): who outstays it does no harm.
 */
import type { StreamId } from '../core/log/ids.ts';
import type { Ulid } from '../format/ulid.ts';
import { bytesValue, numberOf, numberValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import { mintUlid } from './mint-ulid.ts';
import { controlKey } from './table-key.ts';

/** Above what the packing of one piece takes, and short enough to be waited for when its holder died. */
const LEASE_MS = 60_000;

export type Lease =
  | { readonly kind: 'held'; readonly holder: Ulid }
  | { readonly kind: 'taken'; readonly untilMs: number }
  /** There is no such stream. */
  | { readonly kind: 'gone' };

/** On the control item: lo its holder, lu until when. */
export async function takeLease(context: AwsContext, streamId: StreamId): Promise<Lease> {
  const nowMs = context.clock.nowMs();
  const holder = mintUlid(context);
  const result = await context.table.update(
    {
      key: controlKey(streamId),
      update: 'SET #lo = :holder, #lu = :until',
      condition:
        'attribute_exists(#k) AND (attribute_not_exists(#lo) OR #lu < :now OR #lo = :holder)',
      values: {
        ':holder': bytesValue(holder),
        ':until': numberValue(nowMs + LEASE_MS),
        ':now': numberValue(nowMs),
      },
    },
    'harmless',
  );
  if (result.kind === 'done') return { kind: 'held', holder };
  if (result.item === undefined) return { kind: 'gone' };
  // A clock that is far ahead must not keep everybody out for long.
  return { kind: 'taken', untilMs: Math.min(numberOf(result.item, 'lu'), nowMs + LEASE_MS) };
}

export async function endLease(
  { table }: AwsContext,
  streamId: StreamId,
  holder: Ulid,
): Promise<void> {
  await table.update(
    {
      key: controlKey(streamId),
      update: 'REMOVE #lo, #lu',
      condition: '#lo = :holder',
      values: { ':holder': bytesValue(holder) },
    },
    'harmless',
  );
}
