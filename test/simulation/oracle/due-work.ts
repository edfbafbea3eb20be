/** Work that a stream left for later, as its item says; read here without the program. */
import { type StreamId, streamId } from '../../../lib/core/log/ids.ts';

export interface DueWork {
  /** c cancelled ids, d removal, o consumers, s segments. */
  readonly letter: string;
  readonly dueMs: number;
}

const ITEM = /^([0-9a-f]{12})([cdos])([0-9a-f]{32})$/;

export function parseDueKey(
  sortKey: string,
): { readonly id: StreamId; readonly work: DueWork } | undefined {
  const [, time, letter, id] = ITEM.exec(sortKey) ?? [];
  if (time === undefined || letter === undefined || id === undefined) return undefined;
  return { id: streamId(id), work: { letter, dueMs: Number.parseInt(time, 16) } };
}
