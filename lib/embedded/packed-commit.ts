/**
 * Commits and their outcomes as they cross between threads: as one text and one buffer, with a row of
 * numbers for what all of them have. Cloning 32 small objects each way took 145 µs, this takes 60.
 */
import type { CommitOutcome } from '../core/log/commit-batch.ts';
import type { Append } from '../ports/log-store.ts';

export interface PackedCommit {
  readonly kind: 'commit';
  /** JSON of {@link AppendTable}. */
  readonly table: string;
  /** The records of all appends, one after the other: copied, as they are views that others use too. */
  readonly records: Uint8Array<ArrayBuffer>;
}

/** What few appends have goes beside the rows. */
type RareMembers = Omit<Append, 'stream' | 'timeMs' | 'batch' | 'createAs' | 'heldFor'>;

interface AppendTable {
  /** Each stream once. */
  readonly streams: Append['stream'][];
  /** For each append: index in `streams`, time, messages, logical bytes, record bytes, 1 if checked. */
  readonly rows: number[];
  /** For each append; null for none. */
  readonly createAs: (NonNullable<Append['createAs']> | null)[];
  readonly rare: { [index: number]: RareMembers };
}

const APPEND_NUMBERS = 6;

export function packCommit(appends: readonly Append[]): PackedCommit {
  const table: AppendTable = { streams: [], rows: [], createAs: [], rare: {} };
  let size = 0;
  for (const { batch } of appends) size += batch.records.length;
  const records = new Uint8Array(size);
  let position = 0;
  appends.forEach((append, index) => {
    const { records: own } = append.batch;
    addAppend(table, append, index);
    records.set(own, position);
    position += own.length;
  });
  return { kind: 'commit', table: JSON.stringify(table), records };
}

function addAppend(table: AppendTable, append: Append, index: number): void {
  const { stream, timeMs, createAs, batch } = append;
  const { count, bytes, records, jsonChecked } = batch;
  const known = table.streams.lastIndexOf(stream);
  const which = known < 0 ? table.streams.push(stream) - 1 : known;
  table.rows.push(which, timeMs, count, bytes, records.length, jsonChecked ? 1 : 0);
  table.createAs.push(createAs ?? null);
  const rare = rareMembers(append);
  if (rare !== undefined) table.rare[index] = rare;
}

function rareMembers(append: Append): RareMembers | undefined {
  const { publisher, expectedOffset, fencingToken, ifStreamId } = append;
  const { delays, recordedBefore, records } = append;
  const isPlain = publisher === undefined && expectedOffset === undefined;
  const isWhole = delays === undefined && recordedBefore === undefined && records === undefined;
  if (isPlain && isWhole && fencingToken === undefined && ifStreamId === undefined) {
    return undefined;
  }
  return {
    ...(publisher && { publisher }),
    ...(expectedOffset !== undefined && { expectedOffset }),
    ...(fencingToken !== undefined && { fencingToken }),
    ...(ifStreamId && { ifStreamId }),
    ...(delays && { delays }),
    ...(recordedBefore && { recordedBefore }),
    ...(records && { records }),
  };
}

export function unpackCommit({ table, records }: PackedCommit): Append[] {
  const { streams, rows, createAs, rare }: AppendTable = JSON.parse(table);
  let position = 0;
  return createAs.map((id, index) => {
    const at = index * APPEND_NUMBERS;
    const [which = 0, timeMs = 0, count = 0, bytes = 0, length = 0, checked] = [
      rows[at],
      rows[at + 1],
      rows[at + 2],
      rows[at + 3],
      rows[at + 4],
      rows[at + 5],
    ];
    const own = records.subarray(position, position + length);
    position += length;
    const stream = streams[which] as Append['stream'];
    const batch = { count, records: own, bytes, jsonChecked: checked === 1 };
    const append =
      id === null ? { stream, batch, timeMs } : { stream, batch, timeMs, createAs: id };
    const more = rare[index];
    return more === undefined ? append : { ...append, ...more };
  });
}

type Stored = Extract<CommitOutcome, { kind: 'stored' }>;

interface OutcomeTable {
  /** Each stream id once. */
  readonly ids: Stored['streamId'][];
  /** For each outcome: index in `ids`, start, end, time, duplicates, 1 if a segment opens; of others, zeros. */
  readonly rows: number[];
  /** Outcomes that are not `stored`, or tell more than the rows do. */
  readonly others: { [index: number]: CommitOutcome };
}

const OUTCOME_NUMBERS = 6;

export function packOutcomes(outcomes: readonly CommitOutcome[]): string {
  const table: OutcomeTable = { ids: [], rows: [], others: {} };
  outcomes.forEach((outcome, index) => {
    if (outcome.kind === 'stored' && isPlainOutcome(outcome)) addStored(table, outcome);
    else {
      table.rows.push(0, 0, 0, 0, 0, 0);
      table.others[index] = outcome;
    }
  });
  return JSON.stringify(table);
}

function isPlainOutcome({ byValue, held }: Stored): boolean {
  return byValue === undefined && held === undefined;
}

function addStored({ ids, rows }: OutcomeTable, outcome: Stored): void {
  const { streamId, start, end, timeMs, duplicates, opensSegment } = outcome;
  const known = ids.lastIndexOf(streamId);
  const which = known < 0 ? ids.push(streamId) - 1 : known;
  rows.push(which, start, end, timeMs, duplicates, opensSegment ? 1 : 0);
}

export function unpackOutcomes(packed: string): readonly CommitOutcome[] {
  const { ids, rows, others }: OutcomeTable = JSON.parse(packed);
  const outcomes: CommitOutcome[] = [];
  for (let at = 0; at < rows.length; at += OUTCOME_NUMBERS) {
    const other = others[outcomes.length];
    outcomes.push(other ?? storedAt(at));
  }
  return outcomes;

  function storedAt(at: number): Stored {
    return {
      kind: 'stored',
      start: rows[at + 1] as Stored['start'],
      end: rows[at + 2] as Stored['end'],
      timeMs: rows[at + 3] as number,
      duplicates: rows[at + 4] as number,
      opensSegment: rows[at + 5] === 1,
      streamId: ids[rows[at] ?? 0] as Stored['streamId'],
    };
  }
}
