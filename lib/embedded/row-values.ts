/** Takes typed values out of rows. The tables are STRICT: only damaged bytes give another type. */
import type { SQLOutputValue } from 'node:sqlite';

export type Row = Readonly<Record<string, SQLOutputValue>>;

export class CorruptRow extends Error {
  override readonly name = 'CorruptRow';
}

export function integerOf(row: Row, column: string): number {
  const value = row[column];
  if (typeof value === 'number') return value;
  throw new CorruptRow(`column ${column} holds no integer`);
}

export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === 'string') return value;
  throw new CorruptRow(`column ${column} holds no text`);
}

export function blobOf(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (value instanceof Uint8Array) return value;
  throw new CorruptRow(`column ${column} holds no bytes`);
}

export function isNull(row: Row, column: string): boolean {
  return row[column] === null;
}
