/** A record without some of its headers; without any when none is left. */
import { withoutMembers } from '../wire/json-text.ts';
import type { WireRecord } from '../wire/record.ts';

const EMPTY_OBJECT_BYTES = '{}'.length;

export function withoutHeaders(record: WireRecord, names: ReadonlySet<string>): WireRecord {
  const { headers, ...rest } = record;
  if (headers === undefined) return record;
  const left = withoutMembers(headers, names);
  return left.length > EMPTY_OBJECT_BYTES ? { ...rest, headers: left } : rest;
}
