/**
 * Brings a database of an older format to the present one, in one transaction: after a crash it is what it was.
 * Never guesses: what an older format did not keep stays unknown, and is kept by retention (SPEC T7).
 */
import type { DatabaseSync } from 'node:sqlite';
import {
  CONSUMER_TABLES,
  DEDUPLICATION_TABLES,
  EXCHANGE_TABLES,
  FORMAT_VERSION,
  RETENTION_TABLES,
  TIMER_TABLES,
} from './schema.ts';
import { PACK_BYTES_MIN } from './segment-table.ts';

/** A segment's last time lies in its last run, which a trim may have removed. */
const FROM_1 = `
  ALTER TABLE stream RENAME COLUMN segment_number TO segment_first;
  UPDATE stream SET segment_first = (SELECT max(segment.first) FROM segment WHERE segment.stream = stream.no)
    WHERE segment_first IS NOT NULL;

  ALTER TABLE segment ADD COLUMN "end" INTEGER;
  ALTER TABLE segment ADD COLUMN bytes_through INTEGER;
  ALTER TABLE segment ADD COLUMN last_ms INTEGER;
  ALTER TABLE segment ADD COLUMN pack_ms INTEGER;
  UPDATE segment SET ("end", bytes_through) = (SELECT later.first, later.bytes_before FROM segment AS later
    WHERE later.stream = segment.stream AND later.first > segment.first ORDER BY later.first LIMIT 1);
  UPDATE segment SET last_ms = (SELECT run.last_ms FROM run WHERE run.stream = segment.stream
    AND run.base >= segment.first AND run.base < segment."end" ORDER BY run.base DESC LIMIT 1);
  UPDATE segment SET pack_ms = last_ms WHERE bytes_through - bytes_before >= ${PACK_BYTES_MIN};

  ALTER TABLE removal RENAME TO removal_1;
  ${RETENTION_TABLES}
  INSERT INTO removal SELECT stream, CASE whole WHEN 1 THEN 'deleted' ELSE 'dropped' END, 0, below
    FROM removal_1;
  DROP TABLE removal_1;
`;

const FROM_2 = `
  ${CONSUMER_TABLES}
  ${DEDUPLICATION_TABLES}
`;

const FROM_3 = `
  ${EXCHANGE_TABLES}
  ${TIMER_TABLES}
`;

/** By the format they begin with. */
const STEPS: ReadonlyMap<number, string> = new Map([
  [1, `${FROM_1}; ${FROM_2}; ${FROM_3}`],
  [2, `${FROM_2}; ${FROM_3}`],
  [3, FROM_3],
]);

/** Nothing to do for a database of the present format. */
export function upgradeFormat(database: DatabaseSync, version: number): void {
  const steps = STEPS.get(version);
  if (steps === undefined) return;
  database.exec(`BEGIN IMMEDIATE; ${steps}; PRAGMA user_version = ${FORMAT_VERSION}; COMMIT`);
}
