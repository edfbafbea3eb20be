/**
 * Which streams there are and how they are set: cold state, loaded, planned and saved under the
 * revision that was read. Durable and visible at once like commits; failures are {@link StoreError}s.
 */
import type { StreamId, StreamName } from '../core/log/ids.ts';
import type { StreamSettings } from '../core/log/settings.ts';
import type { ListQuery } from './log-store.ts';

export interface StreamEntry {
  readonly name: StreamName;
  readonly streamId: StreamId;
  readonly settings: StreamSettings;
  readonly revision: number;
  readonly createdMs: number;
}

export interface Catalog {
  load(name: StreamName): Promise<StreamEntry | undefined>;

  /** False when the name is taken; then nothing is changed. */
  create(entry: Omit<StreamEntry, 'revision'>): Promise<boolean>;

  /** False when the stream is gone or its revision is no longer `expected`; then nothing is changed. */
  saveSettings(
    streamId: StreamId,
    change: { readonly settings: StreamSettings; readonly expected: number },
  ): Promise<boolean>;

  /**
   * At once gone for everyone, with its messages, publishers and token (SPEC T13); storage follows.
   * False when that incarnation is gone already.
   */
  remove(name: StreamName, streamId: StreamId): Promise<boolean>;

  list(query: ListQuery): Promise<readonly StreamEntry[]>;
}
