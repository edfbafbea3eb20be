/** What is left when all work that was due is done: all that is needed, and nothing else. */
import type { Tail } from '../../../lib/aws/tail-item.ts';
import { formatUlid } from '../../../lib/format/ulid.ts';
import type { Incarnation } from './incarnation.ts';
import { demand } from './violation.ts';

/** When nothing is due any more: what is dropped is gone, as far as it is sealed. */
export function checkMaintained(incarnation: Incarnation): void {
  const { tail, segments, index } = incarnation;
  if (tail === undefined) {
    checkGone(incarnation);
    return;
  }
  const dropped = [...segments.values()].filter(({ end }) => end <= tail.first);
  demand(dropped.length === 0, 'DROPPED_FOREVER', () => `segment ${dropped[0]?.first}`);
  const kept = Math.min(...[...segments.values()].map(({ first }) => first));
  const below = Number.isFinite(kept) ? [...index.keys()].filter((base) => base < kept) : [];
  demand(below.length === 0, 'DROPPED_FOREVER', () => `index items ${below} below ${kept}`);
  demand(tail.cancelled.length === 0, 'CANCELLED_FOREVER', () => `${tail.cancelled.length}`);
}

function checkGone(incarnation: Incarnation): void {
  const { name, streamId, hasGrave } = incarnation;
  const remains = incarnation.remains();
  const invariant = name === undefined ? 'ORPHAN_OF_NOTHING' : 'ORPHAN_FOREVER';
  demand(remains.length === 0, invariant, () => `${streamId}: ${remains.join(', ')}`);
  demand(!hasGrave, 'GRAVE_FOREVER', () => streamId);
}

/** After one pass over every stream, whether anything was due there or not. */
export function checkLeft(incarnation: Incarnation): void {
  const { tail } = incarnation;
  if (tail === undefined) checkGone(incarnation);
  else checkLive(incarnation, tail);
}

function checkLive(incarnation: Incarnation, tail: Tail): void {
  const { index, segments, objects, log, sealedEnd = 0 } = incarnation;
  const activeBase = log.activeSegment()[0]?.base ?? 0;
  demand(tail.refs.length === 0, 'NOT_SPILLED', () => `${tail.refs.length} refs`);
  demand(sealedEnd === activeBase, 'NOT_SEALED', () => `up to ${sealedEnd}, not ${activeBase}`);
  demand(tail.cancelled.length === 0, 'CANCELLED_FOREVER', () => `${tail.cancelled.length}`);

  const dropped = [...segments.values()].filter(({ end }) => end <= tail.first);
  demand(dropped.length === 0, 'SEGMENT_ITEM_FOREVER', () => `${dropped[0]?.first}`);
  const kept = Math.min(sealedEnd, ...[...segments.values()].map(({ first }) => first));
  const below = [...index.keys()].filter((base) => base < kept);
  demand(below.length === 0, 'INDEX_ITEM_FOREVER', () => `${below} below ${kept}`);

  const needed = [...index.values()].flatMap(({ refs }) =>
    refs.map(({ ulid }) => formatUlid(ulid)),
  );
  const extra = [...objects.keys()].filter((ulid) => !needed.includes(ulid));
  demand(extra.length === 0, 'OBJECT_FOREVER', () => extra.join());
}
