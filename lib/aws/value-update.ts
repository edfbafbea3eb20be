/** What a commit does to the values that a stream remembers (PROTOCOL R17): part of its update, or beside it. */
import {
  type Deduplication,
  forgottenThrough,
  type RecordedValue,
} from '../core/log/deduplication.ts';
import { effectiveSettings } from '../core/log/settings.ts';
import type { Ulid } from '../format/ulid.ts';
import { bytesValue, numberValue } from './attribute.ts';
import type { CommitPlan } from './commit-plan.ts';
import type { KnownStream } from './known-stream.ts';
import { isLarge, type ValueItems } from './known-values.ts';
import type { Attribute, TransactionStep } from './table.ts';
import { putValue } from './value-item.ts';
import { extendRing, valueHash } from './value-ring.ts';

export interface ValueUpdate {
  readonly set: readonly string[];
  readonly remove: readonly string[];
  readonly conditions: readonly string[];
  readonly values: { readonly [placeholder: string]: Attribute };
}

const NOTHING: ValueUpdate = { set: [], remove: [], conditions: [], values: {} };

/** A plan that looked at no value says nothing of them. */
export function valueUpdate({ tail, settings }: KnownStream, plan: CommitPlan): ValueUpdate {
  const { deduplication } = effectiveSettings(settings);
  const left = withoutRing(tail.ring.bytes, isRingForgotten(tail, plan, deduplication));
  if (deduplication === null || !plan.hasValues) return left;

  // Nobody else recorded anything since: what was a duplicate is one, and what is new is new.
  const unchanged = {
    conditions: ['#x = :recorded'],
    values: { ':recorded': numberValue(tail.valuesRecorded) },
  };
  const { recorded } = plan;
  if (recorded.length === 0) return { ...left, ...unchanged };
  const counted = '#x = #x + :values';
  const values = { ...unchanged.values, ':values': numberValue(recorded.length) };
  if (isLarge(deduplication)) return { ...left, ...unchanged, set: [counted], values };

  const ring = extendRing(tail.ring, {
    count: tail.valuesRecorded,
    recorded,
    size: deduplication.cache_size,
  });
  return {
    ...NOTHING,
    ...unchanged,
    set: [counted, '#z = #x + :values', '#d = :ring'],
    values: { ...values, ':ring': bytesValue(ring) },
  };
}

function withoutRing(bytes: Uint8Array, isForgotten: boolean): ValueUpdate {
  return isForgotten && bytes.length > 0 ? { ...NOTHING, remove: ['#d'] } : NOTHING;
}

/** It costs every commit: it goes when nothing asks for it, or all of it was pushed out by values with items. */
function isRingForgotten(
  { ring, valuesRecorded }: KnownStream['tail'],
  { recorded }: CommitPlan,
  deduplication: Deduplication | null,
): boolean {
  if (deduplication === null) return true;
  const count = valuesRecorded + recorded.length;
  return isLarge(deduplication) && forgottenThrough(count, deduplication.cache_size) >= ring.number;
}

interface Planned {
  readonly stream: KnownStream;
  readonly plan: CommitPlan;
  readonly items: ValueItems;
  readonly ulid: Ulid;
}

/** True when the cache is too large for the tail. */
export function hasOwnItems({ stream, plan }: Pick<Planned, 'stream' | 'plan'>): boolean {
  const { deduplication } = effectiveSettings(stream.settings);
  return deduplication !== null && isLarge(deduplication) && plan.recorded.length > 0;
}

/** One for each value: of one that was recorded twice, the later counts. */
export function valuePuts({ stream, plan, items, ulid }: Planned): readonly TransactionStep[] {
  const { streamId } = stream.tail;
  return [...latestByKey(plan.recorded)].map(([key, value]) =>
    putValue({ streamId, key, value, ulid, before: items.get(key) }),
  );
}

function latestByKey(recorded: readonly RecordedValue[]): ReadonlyMap<string, RecordedValue> {
  return new Map(recorded.map((one) => [valueHash(one.value).key, one]));
}
