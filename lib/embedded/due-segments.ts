/**
 * Finds what is due, by index: streams whose oldest segment reaches its age, and sealed segments that wait to
 * be packed. With nothing due both cost one read, however many streams there are.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { parseStreamName, type StreamId, type StreamName, streamId } from '../core/log/ids.ts';
import { CorruptRow, integerOf, type Row, textOf } from './row-values.ts';

/** Where to go on: behind what is due since then, of this stream, from this offset. */
export interface DuePlace {
  readonly dueMs: number;
  readonly stream: number;
  readonly first: number;
}

export interface DueStream extends DuePlace {
  readonly streamId: StreamId;
  readonly name: StreamName;
}

export interface DueSegment extends DuePlace {
  readonly end: number;
}

/** Before all that can be due. */
export const BEGINNING: DuePlace = { dueMs: -1, stream: 0, first: 0 };

export class DueSegments {
  readonly #retention: StatementSync;
  readonly #packing: StatementSync;

  constructor(database: DatabaseSync) {
    this.#retention = database.prepare(
      `SELECT due_ms, no, id, name FROM retention CROSS JOIN stream ON no = retention.stream
       WHERE due_ms >= :dueMs AND due_ms <= :nowMs AND (due_ms, retention.stream) > (:dueMs, :stream)
       ORDER BY due_ms, retention.stream LIMIT 1`,
    );
    // A cross join keeps the order of the tables. What was dropped already is not packed, while its rows wait for their removal.
    this.#packing = database.prepare(
      `SELECT pack_ms, segment.stream AS no, segment.first AS first, "end"
       FROM segment CROSS JOIN stream ON no = segment.stream AND stream.first < "end"
       WHERE pack_ms IS NOT NULL AND pack_ms >= :dueMs
       AND (pack_ms, segment.stream, segment.first) > (:dueMs, :stream, :first)
       ORDER BY pack_ms, segment.stream, segment.first LIMIT 1`,
    );
  }

  /** The one that is due for longest, behind `after`. */
  toRetain({ dueMs, stream }: DuePlace, nowMs: number): DueStream | undefined {
    const row = this.#retention.get({ dueMs, stream, nowMs });
    return (
      row && {
        dueMs: integerOf(row, 'due_ms'),
        stream: integerOf(row, 'no'),
        first: 0,
        streamId: streamId(textOf(row, 'id')),
        name: nameOf(row),
      }
    );
  }

  /** The one that was sealed first, behind `after`. */
  toPack({ dueMs, stream, first }: DuePlace): DueSegment | undefined {
    const row = this.#packing.get({ dueMs, stream, first });
    return (
      row && {
        dueMs: integerOf(row, 'pack_ms'),
        stream: integerOf(row, 'no'),
        first: integerOf(row, 'first'),
        end: integerOf(row, 'end'),
      }
    );
  }
}

function nameOf(row: Row): StreamName {
  const parsed = parseStreamName(textOf(row, 'name'));
  if (parsed.kind === 'reject') throw new CorruptRow(`stream name: ${parsed.reason}`);
  return parsed.name;
}
