/** Stored offsets whose answers are checked, whoever asks. */
import type { OffsetOutcome, StoredOffset } from '../../../lib/core/consumers/stored-offset.ts';
import type { ConsumerName, StreamId } from '../../../lib/core/log/ids.ts';
import type { Consumers } from '../../../lib/ports/consumers.ts';
import type { Oracle } from './oracle.ts';
import { RAISING } from './stored-consumers.ts';
import { demand } from './violation.ts';

export function watchedConsumers(consumers: Consumers, oracle: Oracle): Consumers {
  const look = (id: StreamId, name: ConsumerName) => lookAt(oracle, id, name);
  return {
    ...consumers,
    async save(streamId, name, change) {
      const before = look(streamId, name);
      const outcome = await consumers.save(streamId, name, change);
      if (isStored(outcome) && name.startsWith(RAISING)) {
        const { next } = outcome.stored;
        demand(next >= change.next, 'RAISED_TOO_LITTLE', () => `${next}, not ${change.next}`);
        before.isNowAtLeast(next);
      }
      if (outcome?.kind === 'beyond') {
        const { next } = outcome;
        const what = () => `${change.next} at ${next}`;
        demand(change.next > next, 'REFUSED_WRONGLY', what);
      }
      return outcome;
    },
    async load(streamId, name) {
      const before = look(streamId, name);
      const stored = await consumers.load(streamId, name);
      if (name.startsWith(RAISING)) before.isSeen(stored);
      return stored;
    },
    async remove(streamId, name) {
      oracle.stored.incarnation(streamId).consumers.asked.add(name);
      return await consumers.remove(streamId, name);
    },
  };
}

function isStored(
  outcome: OffsetOutcome | undefined,
): outcome is Extract<OffsetOutcome, { kind: 'stored' }> {
  return outcome?.kind === 'stored';
}

/** How it is stored when a call begins: unless it is removed meanwhile it only rises. */
function lookAt(oracle: Oracle, id: StreamId, name: ConsumerName) {
  const incarnation = oracle.stored.incarnation(id);
  const { consumers } = incarnation;
  const removals = consumers.removalsOf(name);
  const before = consumers.stored.get(name)?.next;
  const mayBeGone = () => consumers.removalsOf(name) > removals || incarnation.tail === undefined;
  return {
    isNowAtLeast(next: number) {
      const now = consumers.stored.get(name)?.next;
      const isSo = now !== undefined && now >= next;
      demand(isSo || mayBeGone(), 'OFFSET_LOST', () => `${name} at ${now}, not ${next}`);
    },
    isSeen(stored: StoredOffset | undefined) {
      const isOld = before !== undefined && (stored === undefined || stored.next < before);
      demand(!isOld || mayBeGone(), 'OFFSET_NOT_SEEN', () => `${stored?.next}, not ${before}`);
      const now = consumers.stored.get(name)?.next ?? -1;
      const isAhead = stored !== undefined && stored.next > now;
      demand(!isAhead || mayBeGone(), 'OFFSET_INVENTED', () => `${stored?.next}, not ${now}`);
    },
  };
}
