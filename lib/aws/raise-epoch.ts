/** Lets a tail know of a revision of its settings (PROTOCOL R11): whoever changed them, or met them, does so. */
import type { StreamId, StreamName } from '../core/log/ids.ts';
import { numberValue } from './attribute.ts';
import type { Table, WriteResult } from './table.ts';
import { tailKey } from './table-key.ts';
import { streamIdValue } from './tail-item.ts';

export interface KnownRevision {
  readonly name: StreamName;
  readonly streamId: StreamId;
  readonly revision: number;
}

export async function updateEpoch(
  table: Table,
  { name, streamId, revision }: KnownRevision,
): Promise<WriteResult> {
  return await table.update(
    {
      key: tailKey(name),
      update: 'SET #e = :revision',
      condition: '#i = :id AND #e < :revision',
      values: { ':id': streamIdValue(streamId), ':revision': numberValue(revision) },
    },
    'harmless',
  );
}
