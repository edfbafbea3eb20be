/**
 * Values by which messages are deduplicated, as a list tells: within the cache's reach each is stored once, and what
 * is left out, or told to be a duplicate, has a twin that is stored (SPEC M3, M5).
 */
import type { Tail } from '../../../lib/aws/tail-item.ts';
import type { CommitOutcome } from '../../../lib/core/log/commit-batch.ts';
import { messageValues } from '../../../lib/format/message-values.ts';
import type { Append } from '../../../lib/ports/log-store.ts';
import type { Incarnation } from './incarnation.ts';
import { type MessageId, VALUE_HEADER } from './message-body.ts';
import type { LoggedValue } from './true-log.ts';
import { demand, Violation } from './violation.ts';

/** At the moment a part of a commit takes effect. True when its append may have been cut by values. */
export function recordValues(
  { incarnation, before }: { readonly incarnation: Incarnation; readonly before: Tail | undefined },
  append: Append,
  stored: readonly MessageId[],
): boolean {
  const settings = before && incarnation.settings.get(before.epoch)?.deduplication;
  const values = valuesOf(append);
  if (settings === undefined || values.size === 0) return false;
  const { values: log } = incarnation.log;
  const indexes = new Set(stored.map(({ index }) => index));
  for (let index = 0; index < append.batch.count; index++) {
    const value = values.get(index);
    const what = () => `${value} of ${settings.cache_size} in ${log.map((one) => one.value)}`;
    if (value === undefined) {
      demand(indexes.has(index), 'NOT_ATOMIC', what);
      continue;
    }
    const known = remembered(log, value, settings.cache_size);
    if (indexes.has(index)) {
      demand(known !== 'yes', 'VALUE_STORED_TWICE', what);
      record(log, value, settings.cache_size);
    } else demand(known !== 'no', 'VALUE_LEFT_OUT', what);
  }
  return true;
}

function remembered(log: readonly LoggedValue[], value: string, size: number) {
  const reach = log.slice(-size).filter((one) => one.value === value);
  if (reach.length === 0) return 'no';
  return reach.some(({ wasPushedOut }) => !wasPushedOut) ? 'yes' : 'perhaps';
}

function record(log: LoggedValue[], value: string, size: number): void {
  log.push({ value, wasPushedOut: false });
  for (const one of log.slice(0, -size)) one.wasPushedOut = true;
}

function valuesOf({ batch }: Append): ReadonlyMap<number, string> {
  const values = messageValues(batch, VALUE_HEADER);
  if (values.kind === 'reject') throw new Violation('WRONG_BYTES', values.reason);
  return new Map(values.messages.map(({ index, value }) => [index, value]));
}

/** Whoever is told of a duplicate may rely on its twin. */
export function checkDuplicateValues(
  { log }: Incarnation,
  append: Append,
  { byValue = [] }: Extract<CommitOutcome, { kind: 'duplicate' }>,
): void {
  const values = valuesOf(append);
  for (const index of byValue) {
    const isStored = log.values.some(({ value }) => value === values.get(index));
    demand(isStored, 'DUPLICATE_OF_NOTHING', () => `${values.get(index)}`);
  }
}
