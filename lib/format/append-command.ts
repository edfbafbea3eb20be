/** An append as core judges it: its batch as numbers and values instead of bytes. */
import type { AppendCommand } from '../core/log/append.ts';
import type { ChunkContent } from './chunk.ts';
import { bytesFrom } from './chunk-content.ts';
import { messageValues } from './message-values.ts';

export function appendCommand<
  Append extends Omit<AppendCommand, 'count' | 'bytesFrom' | 'valuesOf'> & {
    readonly batch: ChunkContent;
  },
>(append: Append) {
  const { batch } = append;
  return {
    ...append,
    count: batch.count,
    bytesFrom: (index: number) => bytesFrom(batch, index),
    valuesOf: (header: string) => messageValues(batch, header),
  };
}
