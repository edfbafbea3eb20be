/**
 * Ends a piece of maintenance (PROTOCOL R14): whoever makes work necessary raises the version, so nothing did
 * since the stream was read for it. From then on, since this raises it too, whoever is about to must leave an
 * item for it anew.
 */
import { numberValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import type { KnownStream } from './known-stream.ts';
import { tailKey } from './table-key.ts';
import { streamIdValue } from './tail-item.ts';

/** False when there may be more to do. The version is that of before the work, or as that itself raised it. */
export async function endWork(
  { table }: AwsContext,
  { name, tail }: KnownStream,
  workVersion: number,
): Promise<boolean> {
  const result = await table.update(
    {
      key: tailKey(name),
      update: 'SET #w = :ended',
      condition: '#i = :id AND #w = :work',
      values: {
        ':id': streamIdValue(tail.streamId),
        ':work': numberValue(workVersion),
        ':ended': numberValue(workVersion + 1),
      },
    },
    'harmless',
  );
  return result.kind === 'done';
}
