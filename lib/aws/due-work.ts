/**
 * Work that a stream leaves for later, as items that sort by the time they are due, spread over a few
 * partitions: found by that time, never by looking at streams. Put before what makes the work necessary,
 * so that a crash leaves an item too many, never one too few.
 *
 *   D shard    12 hex digits of ms, kind, stream id        v: an id that is new with every put
 */
import { type StreamId, streamId } from '../core/log/ids.ts';
import { bytesOf, bytesValue, textOf, textValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import { GRACE_MS } from './horizon.ts';
import { mintUlid } from './mint-ulid.ts';
import type { Item, ItemKey, Table, TransactionStep } from './table.ts';

/** Each is one query a minute, which is what an idle store costs; enough that none limits writes. */
const SHARDS = 8;
/** Above what an answer may still have to do by far. */
const SOON_MS = 5_000;
const TIME_DIGITS = 12;
const LATEST = 'f'.repeat(TIME_DIGITS);

const KINDS = {
  /** Cancelled ids are to leave the tail. */
  c: 'cancelled',
  /** Stored offsets beyond the limit are to be removed. */
  o: 'consumers',
  /** What was dropped or packed, and what crashes left, is to be removed. */
  d: 'removal',
  /** Segments are to be sealed, dropped or packed. */
  s: 'segments',
} as const;

type KindLetter = keyof typeof KINDS;
export type DueKind = (typeof KINDS)[KindLetter];

export interface DueWork {
  readonly kind: DueKind;
  readonly streamId: StreamId;
  readonly dueMs: number;
}

export interface DueItem extends DueWork {
  readonly key: ItemKey;
  readonly version: Uint8Array;
}

/** When work is due that has time: together with all that the stream leaves in the same hour. */
export function laterMs(nowMs: number): number {
  return Math.ceil((nowMs + GRACE_MS) / GRACE_MS) * GRACE_MS;
}

/** Of a store: what putting work takes. */
export type DueContext = Pick<AwsContext, 'table' | 'clock' | 'random'>;

export async function putDue(context: DueContext, work: DueWork): Promise<void> {
  await context.table.put({ item: dueItem(context, work) }, 'harmless');
}

/** Within the transaction that makes the work necessary. */
export function dueStep(context: DueContext, work: DueWork): TransactionStep {
  return { kind: 'put', item: dueItem(context, work) };
}

function dueItem(context: DueContext, work: DueWork): Item {
  const { k, s } = dueKey(work);
  return { k: textValue(k), s: textValue(s), v: bytesValue(mintUlid(context)) };
}

/** Together with all that the stream leaves to be removed in that hour. */
export async function leaveRemoval(context: DueContext, id: StreamId): Promise<void> {
  const dueMs = laterMs(context.clock.nowMs());
  await putDue(context, { kind: 'removal', streamId: id, dueMs });
}

/** Soon: whoever makes it necessary seals and drops by itself, and a maintainer would be in its way. */
export async function leaveSegments(context: DueContext, id: StreamId): Promise<void> {
  const dueMs = context.clock.nowMs() + SOON_MS;
  await putDue(context, { kind: 'segments', streamId: id, dueMs });
}

/** Those that are due, oldest first in each shard, at most a page of each. */
export async function findDue(table: Table, nowMs: number): Promise<readonly DueItem[]> {
  const to = `${timeText(nowMs)}~`;
  const shards = Array.from({ length: SHARDS }, (_, shard) => shard);
  const pages = await Promise.all(shards.map((shard) => table.query({ k: `D${shard}`, to })));
  return pages.flatMap(({ items }) => items.flatMap((item) => decodeDue(item) ?? []));
}

/** Unless it was put again meanwhile. */
export async function deleteDue(table: Table, { key, version }: DueItem): Promise<void> {
  await table.delete(
    { key, condition: '#v = :version', values: { ':version': bytesValue(version) } },
    'harmless',
  );
}

function dueKey({ kind, streamId: id, dueMs }: DueWork): ItemKey {
  const letter = Object.entries(KINDS).find(([, name]) => name === kind)?.[0] ?? '';
  const shard = Number.parseInt(id.slice(-1), 16) % SHARDS;
  return { k: `D${shard}`, s: `${timeText(dueMs)}${letter}${id}` };
}

/** Undefined for a kind that only a newer version knows: it is left to that. */
function decodeDue(item: Item): DueItem | undefined {
  const key = { k: textOf(item, 'k'), s: textOf(item, 's') };
  const letter = key.s.charAt(TIME_DIGITS);
  if (!Object.hasOwn(KINDS, letter)) return undefined;
  return {
    key,
    version: bytesOf(item, 'v'),
    kind: KINDS[letter as KindLetter],
    streamId: streamId(key.s.slice(TIME_DIGITS + 1)),
    dueMs: Number.parseInt(key.s.slice(0, TIME_DIGITS), 16),
  };
}

function timeText(ms: number): string {
  const text = Math.max(ms, 0).toString(16).padStart(TIME_DIGITS, '0');
  return text.length > TIME_DIGITS ? LATEST : text;
}
