/**
 * Makes of messages that ask for it what is held: when each is due, and what is stored of it then, which is decided
 * now (SPEC L2-L4, L7). All or nothing: a time that cannot be kept is refused by its place in the request.
 */

import { assert } from '../core/assert.ts';
import type { Delay } from '../core/log/append.ts';
import { type AskedDelay, DELAY_HEADER, planDue } from '../core/timer/delay.ts';
import { HELD_PER_REQUEST_MAX } from '../core/timer/held-message.ts';
import type { Batch } from '../ports/log-store.ts';
import { decodeRecord, encodeRecords, recordBytes, type WireRecord } from '../wire/record.ts';
import { recordsAt, replaceRecords } from '../wire/record-list.ts';
import { VarintReader } from '../wire/varint.ts';
import type { HeldIds } from './held-ids.ts';
import { invalid, LogError } from './log-error.ts';
import { withoutHeaders } from './record-headers.ts';

/** A message that asks to be held, and where that is said, for errors. */
export interface AskedMessage {
  /** Its place in the request. */
  readonly index: number;
  readonly delay: AskedDelay;
  readonly field: string;
}

/** One that is held. */
export interface DueAt {
  readonly index: number;
  readonly dueMs: number;
}

/** Those that are not due at once. */
export function planHolds(asked: readonly AskedMessage[], nowMs: number): readonly DueAt[] {
  const held = asked.flatMap(({ index, delay, field }): readonly DueAt[] => {
    const planned = planDue(delay, nowMs);
    if (planned.kind === 'reject') throw invalid(field, `${field}: ${planned.reason}`);
    return planned.dueMs === undefined ? [] : [{ index, dueMs: planned.dueMs }];
  });
  refuseTooMany(held.length);
  return held;
}

/** Of a request; a remembered value of a held message counts as one more (SPEC L13). */
export function refuseTooMany(actual: number): void {
  if (actual <= HELD_PER_REQUEST_MAX) return;
  throw new LogError(
    `a request holds at most ${HELD_PER_REQUEST_MAX} delayed messages, not ${actual}: split it`,
    { code: 'too_many_delayed', details: { limit: HELD_PER_REQUEST_MAX, actual } },
  );
}

export interface HoldOptions {
  readonly nowMs: number;
  readonly ids: HeldIds;
  /** An exchange takes its header out: no other one on the way is to hold the message again (SPEC L8). */
  readonly takesHeader: boolean;
}

export interface HeldBatch {
  /** With the messages that are held as they are to be stored when they are due. */
  readonly batch: Batch;
  readonly delays: readonly Delay[];
}

/** `held` are places in the batch, which rise. */
export function holdMessages(
  batch: Batch,
  held: readonly DueAt[],
  { nowMs, ids, takesHeader }: HoldOptions,
): HeldBatch {
  if (held.length === 0) return { batch, delays: [] };
  const places = held.map(({ index }) => index);
  const changed = recordsAt(batch.records, places).map((bytes) => {
    const record = decodeRecord(new VarintReader(bytes));
    return stamped(takesHeader ? withoutHeaders(record, DELAY_NAMES) : record, nowMs);
  });
  const delays = held.map(({ index, dueMs }, at) => {
    const record = changed[at];
    assert(record !== undefined, 'a held message without a record');
    return { index, id: ids.mint(dueMs), bytes: recordBytes(record) };
  });
  const replaced = changed.map((record) => encodeRecords([record]));
  return { batch: { ...batch, ...replaceRecords(batch, places, replaced) }, delays };
}

/** When it came in is told by a property, since its timestamp will be that of its release (SPEC L7). */
function stamped(record: WireRecord, nowMs: number): WireRecord {
  const known: unknown = record.properties
    ? JSON.parse(Buffer.from(record.properties).toString())
    : {};
  const properties = { ...(known as object), ingested_at: nowMs };
  return { ...record, properties: Buffer.from(JSON.stringify(properties)) };
}

const DELAY_NAMES: ReadonlySet<string> = new Set([DELAY_HEADER]);
