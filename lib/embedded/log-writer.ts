/**
 * Everything that changes a store, on one connection: synchronous, each call one transaction that is
 * synced to disk when it returns. Runs on the thread of its caller or in a worker; knows neither.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { CommitOutcome } from '../core/log/commit-batch.ts';
import type { Offset, StreamId, StreamName } from '../core/log/ids.ts';
import type { StreamSettings } from '../core/log/settings.ts';
import type { StreamEntry } from '../ports/catalog.ts';
import type { Append, TrimOutcome } from '../ports/log-store.ts';
import { CommitWriter } from './commit-writer.ts';
import { giveBackPages } from './free-pages.ts';
import { RemovalQueue } from './removal-queue.ts';
import { StreamWriter } from './stream-writer.ts';

export interface SettingsChange {
  readonly settings: StreamSettings;
  readonly expected: number;
}

export class LogWriter {
  readonly #database: DatabaseSync;
  readonly #commits: CommitWriter;
  readonly #streams: StreamWriter;
  readonly #removals: RemovalQueue;

  /** `checkRoom` throws when appends are to be refused; removals go on. */
  constructor(database: DatabaseSync, checkRoom: () => void = () => {}) {
    const commits = new CommitWriter(database, checkRoom);
    this.#database = database;
    this.#commits = commits;
    this.#removals = new RemovalQueue(database);
    this.#streams = new StreamWriter(database, this.#removals, (stream) => commits.forget(stream));
  }

  commit(appends: readonly Append[]): readonly CommitOutcome[] {
    return this.#commits.commit(appends);
  }

  create(entry: Omit<StreamEntry, 'revision'>): boolean {
    return this.#streams.create(entry);
  }

  saveSettings(streamId: StreamId, change: SettingsChange): boolean {
    return this.#streams.saveSettings(streamId, change.settings, change.expected);
  }

  setFencingToken(streamId: StreamId, token: string | undefined): boolean {
    return this.#streams.setFencingToken(streamId, token);
  }

  trim(streamId: StreamId, before: Offset | 'next'): TrimOutcome | undefined {
    return this.#streams.trim(streamId, before);
  }

  remove(stream: StreamName, streamId: StreamId): boolean {
    return this.#streams.remove(stream, streamId);
  }

  /** One bounded step of removing what was trimmed or deleted. False when nothing is left to do. */
  sweep(): boolean {
    return this.#removals.step() || giveBackPages(this.#database);
  }
}
