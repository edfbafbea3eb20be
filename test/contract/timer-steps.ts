/** Held messages as the contract makes and releases them. */
import type { Delay } from '../../lib/core/log/append.ts';
import type { StreamName } from '../../lib/core/log/ids.ts';
import { type HeldId, heldId } from '../../lib/core/timer/held-id.ts';
import type { HeldTarget } from '../../lib/core/timer/held-message.ts';
import type { Append, Batch } from '../../lib/ports/log-store.ts';
import type { Released, ReleaseReport } from '../../lib/ports/timers.ts';
import { planDueMessages } from '../../lib/services/release-due.ts';
import { logicalBytes } from '../../lib/wire/record.ts';
import { recordsAt } from '../../lib/wire/record-list.ts';
import { at, batchOf } from '../support/batches.ts';
import { append, bodiesOf, publish, STREAM, STREAM_ID, type Subject } from './contract-steps.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** The id of the held message that arrived so manieth. */
export function heldIdOf(dueMs: number, number: number): HeldId {
  return heldId(dueMs, number.toString(16).padStart(32, '0'));
}

export interface Wanted {
  readonly body: string;
  /** Stored at once when it is left out. */
  readonly dueMs?: number;
}

let arrived = 0;

/** A batch, and which of its messages are held until when. */
export function holding(...wanted: readonly Wanted[]) {
  const batch = batchOf(...wanted.map(({ body }) => body));
  const dueMs = wanted.map((one) => one.dueMs);
  return { delays: [], ...holdingSome(batch, dueMs) };
}

/** `dueMs` of each message, undefined for those that are stored at once. */
export function holdingSome(batch: Batch, dueMs: readonly (number | undefined)[]) {
  const delays = dueMs.flatMap((due, index): Delay[] => {
    if (due === undefined) return [];
    const [record = new Uint8Array()] = recordsAt(batch.records, [index]);
    return [{ index, id: heldIdOf(due, ++arrived), bytes: logicalBytes(record, 1) }];
  });
  return { batch, ...(delays.length > 0 && { delays }) };
}

export const TARGET: HeldTarget = { kind: 'stream', name: STREAM, id: STREAM_ID };
export const FIRST_PAGE = { startAfter: '', limit: 1_000 };

/** What both contracts of held messages do with the store that `ports` gives. */
export function timersOf(ports: Subject['ports']) {
  const hold = async (wanted: readonly Wanted[], rest: Omit<Partial<Append>, 'batch'> = {}) => {
    const { batch, delays } = holding(...wanted);
    const [outcome] = await publish(ports(), append(batch, { delays, ...rest }));
    return { outcome, ids: delays.map(({ id }) => id) };
  };
  const bodies = (stream = STREAM) => bodiesIn(ports(), stream);
  const listed = async (target?: HeldTarget) =>
    (await ports().timers.list({ ...(target && { target }), ...FIRST_PAGE })).map(({ id }) => id);
  return { hold, bodies, listed };
}

export interface ReleasedAll extends ReleaseReport {
  readonly told: readonly Released[];
}

export async function releaseAt(store: StoreUnderTest, nowMs: number): Promise<ReleasedAll> {
  const told: Released[] = [];
  const report = await store.timers.release({
    nowMs: () => nowMs,
    plan: (due) => planDueMessages(store, due),
    released: (what) => told.push(what),
    signal: new AbortController().signal,
  });
  return { ...report, told };
}

export function several(count: number, firstDueMs: number): Wanted[] {
  return Array.from({ length: count }, (_, index) => {
    return { body: `m${index}`, dueMs: firstDueMs + index };
  });
}

/** Bodies of all messages of a stream, as readers get them: those up to its end of this moment. */
export async function bodiesIn({ log }: StoreUnderTest, stream: StreamName): Promise<string[]> {
  const state = await log.tail(stream);
  if (state === undefined || state.next === 0) return [];
  const { streamId, next: end } = state;
  return bodiesOf(await log.readChunks({ streamId, from: at(0), end, bytesMax: 2 ** 30 }));
}
