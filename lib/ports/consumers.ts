/**
 * Offsets that consumers have stored on a stream, by name: what they mean is core's (`applyOffsetChange`,
 * `planRemoval`). Durable and visible like commits (SPEC P2, P8), gone with their incarnation of the stream (SPEC T13);
 * failures are {@link StoreError}s.
 */
import type { OffsetChange, OffsetOutcome, StoredOffset } from '../core/consumers/stored-offset.ts';
import type { ConsumerName, StreamId } from '../core/log/ids.ts';
import type { ListQuery } from './log-store.ts';

export interface StoredConsumer {
  readonly name: ConsumerName;
  readonly stored: StoredOffset;
}

export interface Consumers {
  load(streamId: StreamId, name: ConsumerName): Promise<StoredOffset | undefined>;

  /**
   * Judged by the stream as it is then. A stream keeps as many as its `consumer_limit` says: beyond it the least
   * recently written go, by the next maintenance at the latest (SPEC C6). Undefined when the stream is gone.
   */
  save(
    streamId: StreamId,
    name: ConsumerName,
    change: OffsetChange,
  ): Promise<OffsetOutcome | undefined>;

  /** False when there was none. */
  remove(streamId: StreamId, name: ConsumerName): Promise<boolean>;

  /** In the order of the names; none when the stream is gone. */
  list(streamId: StreamId, query: ListQuery): Promise<readonly StoredConsumer[]>;
}
