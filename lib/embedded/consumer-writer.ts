/** Stores and removes offsets of consumers, many in one transaction, each judged behind those before it. */
import type { DatabaseSync } from 'node:sqlite';
import {
  applyOffsetChange,
  type OffsetChange,
  type OffsetOutcome,
} from '../core/consumers/stored-offset.ts';
import type { ConsumerName, StreamId } from '../core/log/ids.ts';
import { effectiveSettings } from '../core/log/settings.ts';
import { ConsumerRows, ConsumerTable } from './consumer-table.ts';
import { StreamTable } from './stream-table.ts';
import { transact } from './transaction.ts';

export interface OffsetSave {
  readonly streamId: StreamId;
  readonly name: ConsumerName;
  readonly change: OffsetChange;
}

/** Undefined when the stream is gone. */
export type SaveOutcome = OffsetOutcome | undefined;

export class ConsumerWriter {
  readonly #database: DatabaseSync;
  readonly #streams: StreamTable;
  readonly #consumers: ConsumerTable;
  readonly #rows: ConsumerRows;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#streams = new StreamTable(database);
    this.#consumers = new ConsumerTable(database);
    this.#rows = new ConsumerRows(database);
  }

  /** Outcomes in the order of the saves. */
  save(saves: readonly OffsetSave[]): readonly SaveOutcome[] {
    return transact(this.#database, () => saves.map((save) => this.#saveOne(save)));
  }

  #saveOne({ streamId, name, change }: OffsetSave): SaveOutcome {
    const stored = this.#streams.byId(streamId);
    if (stored === undefined) return undefined;
    const { no, state } = stored;
    const before = this.#consumers.get(no, name);
    const outcome = applyOffsetChange(before, change, state);
    if (outcome.kind === 'beyond' || outcome.stored === before) return outcome;

    if (before === undefined) {
      this.#rows.insert(no, name, outcome.stored);
      this.#rows.keepWithin(no, effectiveSettings(state.settings).consumer_limit);
    } else {
      this.#rows.update(no, name, outcome.stored);
    }
    return outcome;
  }

  /** False when there was none. */
  remove(streamId: StreamId, name: ConsumerName): boolean {
    return transact(this.#database, () => {
      const stored = this.#streams.byId(streamId);
      return stored !== undefined && this.#rows.delete(stored.no, name);
    });
  }
}
