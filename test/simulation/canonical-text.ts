/** One text for equal values, whatever the order of their members: to compare, and to tell in a trace. */
import { crc32 } from 'node:zlib';

export function canonicalText(value: unknown): string {
  if (value instanceof Uint8Array) return `x${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member)}`)
    .join(',')}}`;
}

/** Eight hex digits that differ when the values do. */
export function digest(value: unknown): string {
  return crc32(canonicalText(value)).toString(16).padStart(8, '0');
}
