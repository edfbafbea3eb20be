/** What must hold of the stored offsets of a stream that is there, at every moment. */
import { effectiveSettings } from '../../../lib/core/log/settings.ts';
import type { Incarnation } from './incarnation.ts';
import { demand } from './violation.ts';

export function checkConsumers({ consumers, log, streamId, ...rest }: Incarnation): void {
  const { stored, count } = consumers;
  demand(count === stored.size, 'COUNTED_WRONG', () => `${count}, not ${stored.size}`);
  for (const [name, { next }] of stored) {
    demand(next <= log.next, 'STORED_BEYOND', () => `${next} of ${name} at ${streamId}`);
  }
  if (!consumers.wasSwept) return;
  consumers.wasSwept = false;
  const least = leastLimit(rest);
  demand(stored.size >= least, 'SWEPT_TOO_MANY', () => `${stored.size} left, of ${least}`);
}

/** Of settings that are in force, or may come to be. */
function leastLimit({
  settings,
  acknowledgedRevision,
}: Pick<Incarnation, 'settings' | 'acknowledgedRevision'>): number {
  const possible = [...settings].filter(([revision]) => revision >= acknowledgedRevision);
  return Math.min(...possible.map(([, one]) => effectiveSettings(one).consumer_limit));
}
