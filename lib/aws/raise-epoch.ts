/**
 * Lets a tail know of a revision of its settings (PROTOCOL R11): whoever changed them, or met them, does so.
 * New settings are work for a maintainer, left before they are in force (PROTOCOL R14).
 */
import type { StreamName } from '../core/log/ids.ts';
import { numberValue } from './attribute.ts';
import type { Table, WriteResult } from './table.ts';
import { tailKey } from './table-key.ts';
import { streamIdValue, type Tail } from './tail-item.ts';

export interface EpochRise {
  readonly name: StreamName;
  readonly tail: Tail;
  readonly revision: number;
}

/** Refused when it was raised already, or some maintenance ended since the tail was read. */
export async function raiseEpoch(
  { table, leaveWork }: EpochParts,
  { name, tail, revision }: EpochRise,
): Promise<WriteResult> {
  await leaveWork(tail);
  return await table.update(
    {
      key: tailKey(name),
      update: 'SET #e = :revision, #w = #w + :one',
      condition: '#i = :id AND #e < :revision AND #w = :work',
      values: {
        ':id': streamIdValue(tail.streamId),
        ':revision': numberValue(revision),
        ':work': numberValue(tail.workVersion),
        ':one': numberValue(1),
      },
    },
    'harmless',
  );
}

export interface EpochParts {
  readonly table: Table;
  leaveWork(tail: Tail): Promise<void>;
}
