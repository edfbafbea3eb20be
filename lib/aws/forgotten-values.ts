/**
 * Removes items of values that were pushed out of a large cache (PROTOCOL R17). Now and then, by a commit that
 * recorded some: it looks beside its own value, which lies anywhere, for more than came since. So of items there
 * are at most some two for each value that is remembered, and nothing keeps a list of them.
 */
import { forgottenThrough, type RecordedValue } from '../core/log/deduplication.ts';
import { effectiveSettings } from '../core/log/settings.ts';
import { numberValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import type { KnownStream } from './known-stream.ts';
import { isLarge } from './known-values.ts';
import type { ItemKey, Table } from './table.ts';
import { valueKey } from './table-key.ts';
import { decodeValue } from './value-item.ts';
import { valueHash } from './value-ring.ts';

/** A look costs half a read unit and a call, so it is not done for each value. */
const VALUES_PER_LOOK = 32;

export async function removeForgotten(
  { table, telemetry }: AwsContext,
  { tail: { streamId, valuesRecorded }, settings }: KnownStream,
  recorded: readonly RecordedValue[],
): Promise<void> {
  const { deduplication } = effectiveSettings(settings);
  const last = recorded.at(-1);
  if (deduplication === null || !isLarge(deduplication) || last === undefined) return;
  const through = forgottenThrough(valuesRecorded, deduplication.cache_size);
  if (through === 0 || !isDue(last.number, recorded.length)) return;
  try {
    const limit = 2 * Math.max(VALUES_PER_LOOK, recorded.length);
    const items = await itemsBeside(table, valueKey(streamId, valueHash(last.value).key), limit);
    const forgotten = items.map(decodeValue).filter(({ number }) => number <= through);
    await Promise.all(
      forgotten.map(({ key, number }) =>
        // Recorded anew meanwhile, it has another number.
        table.delete(
          {
            key: valueKey(streamId, key),
            condition: '#n = :number',
            values: { ':number': numberValue(number) },
          },
          'harmless',
        ),
      ),
    );
  } catch (error) {
    // The messages are stored, and the next look finds what this one left.
    telemetry.error('removing_values_failed', { stream_id: streamId, error });
  }
}

/** In the order of their keys, and behind the last one from the first on: none is passed over more often. */
async function itemsBeside(table: Table, { k, s }: ItemKey, limit: number) {
  const { items } = await table.query({ k, from: s, limit });
  if (items.length >= limit) return items;
  const first = await table.query({ k, to: s, limit: limit - items.length });
  return [...items, ...first.items];
}

/** Every 32nd value, whoever records it. */
function isDue(last: number, recorded: number): boolean {
  return Math.floor(last / VALUES_PER_LOOK) > Math.floor((last - recorded) / VALUES_PER_LOOK);
}
