/** The one place where what SQLite and stored bytes throw becomes a {@link StoreError}. */
import { CorruptChunk } from '../format/corrupt-chunk.ts';
import { StoreError, type StoreErrorKind } from '../ports/store-error.ts';
import { CorruptRow } from './row-values.ts';

const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

interface SqliteFault {
  readonly kind: StoreErrorKind;
  readonly message: string;
  /** True when SQLite rolled back for sure, even if this happened while it committed. */
  readonly undone?: true;
}

const FAULTS: ReadonlyMap<number, SqliteFault> = new Map([
  [BUSY, { kind: 'unavailable', message: 'another program uses the database', undone: true }],
  [LOCKED, { kind: 'unavailable', message: 'the database is locked', undone: true }],
  [READONLY, { kind: 'unavailable', message: 'the database cannot be written', undone: true }],
  [IOERR, { kind: 'unavailable', message: 'the disk failed to read, write or sync' }],
  [CORRUPT, { kind: 'corrupt', message: 'the database is damaged' }],
  // Thrown before the frame that would commit is complete; what fails later is an IOERR.
  [FULL, { kind: 'unavailable', message: 'the disk is full', undone: true }],
  [CANTOPEN, { kind: 'unavailable', message: 'the database cannot be opened' }],
  [NOTADB, { kind: 'corrupt', message: 'the database is damaged' }],
]);

/** `during` says whether a commit was under way, whose effect is unknown when the disk fails. */
export function toStoreError(
  error: unknown,
  during: 'reading' | 'writing' | 'committing',
): unknown {
  if (error instanceof CorruptChunk || error instanceof CorruptRow) {
    return new StoreError(error.message, { kind: 'corrupt', sideEffects: 'none', cause: error });
  }
  const code = sqliteCode(error);
  const fault = code === undefined ? undefined : FAULTS.get(code);
  if (fault === undefined) return error;

  const { kind, message, undone } = fault;
  const sideEffects = during === 'committing' && !undone ? 'possible' : 'none';
  return new StoreError(message, { kind, sideEffects, cause: error });
}

/** True when the bytes of a database are not what SQLite wrote. */
export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === CORRUPT || code === NOTADB;
}

/** True when another connection holds the lock that was asked for. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === BUSY;
}

/** The primary code: extended codes carry it in their lowest byte. */
function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error && 'errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}
