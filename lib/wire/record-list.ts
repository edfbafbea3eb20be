/** Some records out of several that stand one after the other, and others in their places. */
import { logicalBytes, skipRecord } from './record.ts';
import { VarintReader } from './varint.ts';

/** The records at these places, which rise, each by itself: views of the source. */
export function recordsAt(records: Uint8Array, indexes: readonly number[]): readonly Uint8Array[] {
  const reader = new VarintReader(records);
  let index = 0;
  return indexes.map((next) => {
    for (; index < next; index++) skipRecord(reader);
    const start = reader.position;
    skipRecord(reader);
    index++;
    return records.subarray(start, reader.position);
  });
}

export interface RecordList {
  readonly records: Uint8Array;
  /** Logical bytes of all of them. */
  readonly bytes: number;
}

/** The same with other records at these places, which rise. */
export function replaceRecords(
  { records, bytes }: RecordList,
  indexes: readonly number[],
  replacements: readonly Uint8Array[],
): RecordList {
  const reader = new VarintReader(records);
  const parts: Uint8Array[] = [];
  let [index, keptFrom, size] = [0, 0, bytes];
  indexes.forEach((next, at) => {
    for (; index < next; index++) skipRecord(reader);
    const replacement = replacements[at] ?? new Uint8Array();
    parts.push(records.subarray(keptFrom, reader.position), replacement);
    size += logicalBytes(replacement, 1) - skipRecord(reader);
    index++;
    keptFrom = reader.position;
  });
  parts.push(records.subarray(keptFrom));
  return { records: joinBytes(parts), bytes: size };
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const target = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let position = 0;
  for (const part of parts) {
    target.set(part, position);
    position += part.length;
  }
  return target;
}
