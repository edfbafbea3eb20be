/** Work beside requests, as services and maintainers do it, here at any moment and all at once. */
import type { AwsContext } from '../../../lib/aws/aws-context.ts';
import { collectObjects } from '../../../lib/aws/collect-objects.ts';
import { leaveRemoval } from '../../../lib/aws/due-work.ts';
import type { KnownStream } from '../../../lib/aws/known-stream.ts';
import { mintUlid } from '../../../lib/aws/mint-ulid.ts';
import { packPiece } from '../../../lib/aws/pack-segment.ts';
import { packSegments } from '../../../lib/aws/pack-segments.ts';
import { evictPublishers } from '../../../lib/aws/publisher-side.ts';
import { removeDropped } from '../../../lib/aws/remove-dropped.ts';
import { removePacked } from '../../../lib/aws/remove-packed.ts';
import { retainStream } from '../../../lib/aws/retain-stream.ts';
import { sealSegments } from '../../../lib/aws/seal-segments.ts';
import { decodeSegment, segmentKey } from '../../../lib/aws/segment-item.ts';
import { spillWhile } from '../../../lib/aws/spill-refs.ts';
import { sealedSegments } from '../../../lib/aws/stream-segments.ts';
import { decodeGrave, sweepGrave } from '../../../lib/aws/sweep-streams.ts';
import { GRAVES } from '../../../lib/aws/table-key.ts';
import type { Service } from './service.ts';
import type { Stage } from './stage.ts';

const SEGMENTS_SKIPPED_END = 3;
const PIECES_END = 3;
const LATE_MS_END = 3_000;
/** More than a segment takes. */
const PIECES_MAX = 20;
const AHEAD_MS = 24 * 3_600_000;

export async function spill(stage: Stage): Promise<void> {
  const kept = stage.chance.below(3);
  await onStream(stage, async ({ context }, stream) => {
    await spillWhile(context, stream, ({ refs }) => refs.length > kept);
  });
}

/** By a tail that others may have spilled, sealed, packed and collected by then. */
export async function spillLate(stage: Stage): Promise<void> {
  const waitMs = stage.chance.below(LATE_MS_END);
  await onStream(stage, async ({ context }, stream) => {
    await context.clock.wait(waitMs, new AbortController().signal);
    await spillWhile(context, stream, ({ refs }) => refs.length > 0);
  });
}

export async function seal(stage: Stage): Promise<void> {
  await onStream(stage, async ({ context }, stream) => {
    await sealSegments(context, stream);
  });
}

export async function evict(stage: Stage): Promise<void> {
  await onStream(stage, ({ context }, stream) => evictPublishers(context, stream));
}

export async function remove(stage: Stage): Promise<void> {
  await onStream(stage, ({ context }, stream) => removeDropped(context, stream));
}

/** Without any grace: that is for readers outside, not for safety. */
export async function collect(stage: Stage): Promise<void> {
  await onStream(stage, async ({ context }, stream) => {
    const horizon = mintUlid(context);
    await collectObjects(context, stream, { horizon, chunksUpTo: horizon });
  });
}

export async function sweep(stage: Stage): Promise<void> {
  await stage.call(async ({ context }) => {
    const { items } = await context.table.query({ k: GRAVES });
    for (const grave of items.map(decodeGrave)) await sweepGrave(context, grave);
  });
}

/** Whatever is due. Nothing may go wrong with it but the stores. */
export async function maintain(stage: Stage): Promise<void> {
  const { signal } = new AbortController();
  await stage.call(({ maintenance }) => maintenance.run(signal));
}

/** Under a lease, as maintainers do. */
export async function pack(stage: Stage): Promise<void> {
  await onStream(stage, async ({ context }, stream) => {
    await packSegments(context, stream);
  });
}

/** As a maintainer does that has outstayed its lease: any segment, however far it is. */
export async function packAnyway(stage: Stage): Promise<void> {
  const { chance } = stage;
  const skipped = chance.below(SEGMENTS_SKIPPED_END);
  const pieces = 1 + chance.below(PIECES_END);
  await onStream(stage, async ({ context }, stream) => {
    await leaveRemoval(context, stream.tail.streamId);
    const found = sealedSegments(context.table, stream.tail.streamId, stream.tail.first);
    const some = (await Array.fromAsync(found)).filter(({ packedMs }) => packedMs === undefined);
    const segment = some[skipped % Math.max(some.length, 1)];
    for (let piece = 0; segment !== undefined && piece < pieces; piece++) {
      const item = await context.table.get(segmentKey(stream.tail.streamId, segment.first));
      const now = item && decodeSegment(item);
      if (now === undefined || now.packedMs !== undefined) return;
      await packPiece(context, stream, now);
    }
  });
}

/** Without any grace, as above. */
export async function removeIndex(stage: Stage): Promise<void> {
  await onStream(stage, async ({ context }, stream) => {
    await removePacked(ahead(context), stream);
  });
}

/** One segment wholly, so that its chunks are gone as soon as they can be. */
export async function packAndCollect(stage: Stage): Promise<void> {
  await onStream(stage, async ({ context }, stream) => {
    const { streamId, first } = stream.tail;
    await leaveRemoval(context, streamId);
    const found = await Array.fromAsync(sealedSegments(context.table, streamId, first));
    let segment = found.find(({ packedMs }) => packedMs === undefined);
    for (let pieces = 0; segment?.packedMs === undefined && pieces < PIECES_MAX; pieces++) {
      if (segment === undefined) return;
      await packPiece(context, stream, segment);
      const item = await context.table.get(segmentKey(streamId, segment.first));
      segment = item && decodeSegment(item);
    }
    await removePacked(ahead(context), stream);
    const horizon = mintUlid(context);
    await collectObjects(context, stream, { horizon, chunksUpTo: horizon });
  });
}

function ahead(context: AwsContext): AwsContext {
  const { clock } = context;
  return { ...context, clock: { ...clock, nowMs: () => clock.nowMs() + AHEAD_MS } };
}

/** By the clock of whoever is asked. */
export async function retain(stage: Stage): Promise<void> {
  await onStream(stage, async ({ context }, stream) => {
    await retainStream(context, stream, { nowMs: context.clock.nowMs() });
  });
}

async function onStream(
  stage: Stage,
  work: (service: Service, stream: KnownStream) => Promise<void>,
): Promise<void> {
  const name = stage.stream();
  await stage.call(async (service) => {
    const stream = await service.context.streams.load(name);
    if (stream !== undefined) await work(service, stream);
  });
}
