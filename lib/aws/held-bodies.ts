/**
 * Where held messages lie until they are due: small ones in their items, those of one commit that are larger in one
 * object of their target's. No item refers to an object before that is durable; it goes with the last of them, or
 * with the target.
 */
import type { StreamId } from '../core/log/ids.ts';
import { streamId } from '../core/log/ids.ts';
import type { HeldId } from '../core/timer/held-id.ts';
import type { HeldMessage } from '../core/timer/held-message.ts';
import {
  decodeHeldIds,
  encodeHeldObject,
  HELD_HEADER_BYTES_MAX,
  type HeldObject,
} from '../format/held-object.ts';
import { heldObjectName } from '../format/object-key.ts';
import type { Ulid } from '../format/ulid.ts';
import type { DueMessage } from '../ports/timers.ts';
import type { AwsContext } from './aws-context.ts';
import type { TransactionStep } from './table.ts';
import { timerKey, timerShard } from './table-key.ts';
import { encodeTimer, type StoredTimer } from './timer-item.ts';

/** A write unit holds 1 KiB, and from about 8 of them on a put of an object is cheaper. */
const INLINE_BYTES_MAX = 4_096;

/** A message that a commit holds, and what is stored of it when it is due. */
export interface PlannedTimer {
  readonly message: HeldMessage;
  readonly record: Uint8Array;
  readonly jsonChecked: boolean;
}

export function isInline({ record }: PlannedTimer): boolean {
  return record.length <= INLINE_BYTES_MAX;
}

/** Undefined when all are small. */
export function objectOfHeld(timers: readonly PlannedTimer[]): HeldObject | undefined {
  const large = timers.filter((timer) => !isInline(timer));
  if (large.length === 0) return undefined;
  return encodeHeldObject(large.map(({ message: { id }, record }) => ({ id, record })));
}

export async function putHeldObject(
  { objects }: Pick<AwsContext, 'objects'>,
  timers: readonly PlannedTimer[],
  { streamId: target, ulid }: { readonly streamId: StreamId; readonly ulid: Ulid },
): Promise<void> {
  const object = objectOfHeld(timers);
  if (object !== undefined) await objects.put(heldObjectName(target, ulid), object.bytes);
}

/** Their items, if their object has this id. */
export function storedTimers(timers: readonly PlannedTimer[], ulid: Ulid): readonly StoredTimer[] {
  const places = [...(objectOfHeld(timers)?.places ?? [])];
  return timers.map((timer): StoredTimer => {
    const { message, record, jsonChecked } = timer;
    const common = { message, jsonChecked };
    const place = isInline(timer) ? undefined : places.shift();
    if (place === undefined) return { ...common, body: { kind: 'inline', record } };
    return { ...common, body: { kind: 'object', ulid, ...place } };
  });
}

/** Each id is new with its request, and an earlier try of it took no effect: the condition is for safety only. */
export function timerPuts(timers: readonly PlannedTimer[], ulid: Ulid): readonly TransactionStep[] {
  return storedTimers(timers, ulid).map((timer) => {
    return { kind: 'put', item: encodeTimer(timer), condition: 'attribute_not_exists(#k)' };
  });
}

/** Without its record when its object is gone: only the sweeper of its target takes one that is needed. */
export async function withRecord(
  { objects }: Pick<AwsContext, 'objects'>,
  { message, jsonChecked, body }: StoredTimer,
): Promise<DueMessage> {
  if (body.kind === 'inline') return { ...message, jsonChecked, record: body.record };
  const { offset: start, length } = body;
  const name = heldObjectName(streamId(message.target.id), body.ulid);
  const record = await objects.getRange(name, { start, end: start + length });
  return { ...message, jsonChecked, record: record ?? new Uint8Array() };
}

/**
 * Objects that these needed, whose items are gone, unless others need them: of two who remove the last ones of an
 * object, the later sees that none is left.
 */
export async function removeBodies(
  context: Pick<AwsContext, 'objects' | 'table' | 'telemetry'>,
  gone: readonly StoredTimer[],
): Promise<void> {
  const needed = new Map<string, NeededObject>();
  for (const { message, body } of gone) {
    if (body.kind === 'inline') continue;
    const name = heldObjectName(streamId(message.target.id), body.ulid);
    // All ids stand in front of all records.
    const headerBytes = Math.min(body.offset, HELD_HEADER_BYTES_MAX);
    needed.set(name, { name, headerBytes, shard: timerShard(message.target.id) });
  }
  try {
    for (const object of needed.values()) await removeIfUnneeded(context, object);
  } catch (error) {
    // The messages are gone as they should be; the object goes with its target.
    context.telemetry.error('removing_held_failed', { error });
  }
}

interface NeededObject {
  readonly name: string;
  readonly headerBytes: number;
  /** Of its target, and so of all its messages. */
  readonly shard: number;
}

async function removeIfUnneeded(
  { objects, table }: Pick<AwsContext, 'objects' | 'table'>,
  { name, headerBytes, shard }: NeededObject,
): Promise<void> {
  const header = await objects.getRange(name, { start: 0, end: headerBytes });
  if (header === undefined) return;
  const ids: readonly HeldId[] = decodeHeldIds(header, name);
  const left = await table.getMany(ids.map((id) => timerKey(shard, id)));
  if (left.length === 0) await objects.deleteMany([name]);
}
