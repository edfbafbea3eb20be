/** The end of a run: nothing fails any more, and whatever is left to do is done once by somebody new. */
import type { AwsContext } from '../../../lib/aws/aws-context.ts';
import { collectObjects } from '../../../lib/aws/collect-objects.ts';
import type { KnownStream } from '../../../lib/aws/known-stream.ts';
import { mintUlid } from '../../../lib/aws/mint-ulid.ts';
import { packPiece } from '../../../lib/aws/pack-segment.ts';
import { removeDropped } from '../../../lib/aws/remove-dropped.ts';
import { removePacked } from '../../../lib/aws/remove-packed.ts';
import { sealSegments } from '../../../lib/aws/seal-segments.ts';
import { decodeSegment, segmentKey } from '../../../lib/aws/segment-item.ts';
import { spillWhile } from '../../../lib/aws/spill-refs.ts';
import { sealedSegments } from '../../../lib/aws/stream-segments.ts';
import type { CommitOutcome } from '../../../lib/core/log/commit-batch.ts';
import type { StreamName } from '../../../lib/core/log/ids.ts';
import { readPage } from '../../../lib/services/read-page.ts';
import { CALM } from '../faults.ts';
import { checkLeft, checkMaintained } from '../oracle/check-left.ts';
import { publish } from '../oracle/check-outcomes.ts';
import type { Incarnation } from '../oracle/incarnation.ts';
import { demand } from '../oracle/violation.ts';
import { releaseBy } from './delay.ts';
import { newStreamId } from './new-stream-id.ts';
import { runOut } from './run-out.ts';
import { createService, type Service } from './service.ts';
import type { Stage } from './stage.ts';

/** Longer than graves are kept, and than anything is still under way. */
const LATER_MS = 8 * 86_400_000;
const HOUR_MS = 3_600_000;
/** Of maintenance: graves take a few weeks, and what settings keep for a time is gone within hours. */
const RUNS_MAX = 300;
const PASSES = 4;
const PAGE_BYTES = 1_000;

export async function finish(stage: Stage): Promise<void> {
  const { world, oracle, streams } = stage;
  const service = createService(world.process('after', { faults: CALM, skewMs: 0 }), oracle);
  const at = async (work: () => Promise<void>) => {
    service.process.run(work);
    await runOut(stage);
  };
  await at(() => releaseRest(stage, service));
  await at(async () => {
    await doWhatIsDue(stage, service);
  });
  const all = () => oracle.stored.incarnations.values();
  for (const incarnation of all()) checkMaintained(incarnation, stage.nowMs());
  oracle.exchanges.checkLeft();
  await at(async () => {
    for (const name of streams) await readAll(stage, service, name);
    for (const name of streams) await tidy(service, name);
  });
  for (const incarnation of all()) checkLeft(incarnation);
  await at(async () => {
    for (const name of streams) await goOn(stage, service, name);
    for (const name of streams) await readAll(stage, service, name);
    await doWhatIsDue(stage, service);
  });
  for (const incarnation of all()) checkMaintained(incarnation, stage.nowMs());
}

/** Once all of them are due. */
async function releaseRest(stage: Stage, service: Service): Promise<void> {
  await service.process.clock.wait(HOUR_MS, new AbortController().signal);
  demand(await releaseBy(stage, service), 'HELD_FOREVER', () => 'a release left something');
  const [left] = stage.oracle.held.there();
  demand(left === undefined, 'HELD_FOREVER', () => `${left?.delay.id}`);
}

/** As it is done in operation: now and then, until nothing is due any more, and no grave is left. */
async function doWhatIsDue(
  { oracle }: Stage,
  { process: { clock }, maintenance }: Service,
): Promise<void> {
  const { signal } = new AbortController();
  for (let runs = 0; runs < RUNS_MAX; runs++) {
    const incarnations = [...oracle.stored.incarnations.values()];
    const isDue = incarnations.some(({ due }) => due.size > 0);
    if (!isDue && !incarnations.some(({ hasGrave }) => hasGrave)) return;
    await clock.wait(isDue ? HOUR_MS : LATER_MS, signal);
    const { failed } = await maintenance.run(signal);
    demand(failed === 0, 'MAINTENANCE_FAILED', () => `${failed}`);
  }
}

async function tidy({ context, process }: Service, name: StreamName): Promise<void> {
  for (let pass = 0; pass < PASSES; pass++) {
    const stream = await context.streams.load(name);
    const spilled = stream && (await spillWhile(context, stream, ({ refs }) => refs.length > 0));
    if (spilled === undefined) return;
    await sealSegments(context, spilled);
    await packAll(context, spilled);
    await removeDropped(context, spilled);
    await process.clock.wait(HOUR_MS, new AbortController().signal);
    await removePacked(context, spilled);
    const horizon = mintUlid(process);
    await collectObjects(context, spilled, { horizon, chunksUpTo: horizon });
  }
}

/** Also what its settings would drop soon: then no index is left but that of the active segment. */
async function packAll(context: AwsContext, stream: KnownStream): Promise<void> {
  const { streamId, first } = stream.tail;
  for await (const found of sealedSegments(context.table, streamId, first)) {
    for (let segment = found; segment.packedMs === undefined; ) {
      await packPiece(context, stream, segment);
      const item = await context.table.get(segmentKey(streamId, segment.first));
      if (item === undefined) break;
      segment = decodeSegment(item);
    }
  }
}

/** Nobody is blocked by what happened: neither a new publisher nor those that were there. */
async function goOn(stage: Stage, { log }: Service, stream: StreamName): Promise<void> {
  const { oracle } = stage;
  const common = { stream, count: 1, timeMs: stage.nowMs(), createAs: newStreamId(stage) };
  demandStored(await publish(oracle, log, [common]));
  const live = oracle.stored.live(stream);
  for (const [name, { highestId, epoch }] of live?.log.publishers ?? []) {
    const publisher = { name, ids: [highestId + 1], ...(epoch !== undefined && { epoch }) };
    demandStored(await publish(oracle, log, [{ ...common, publisher }]));
    if (live) await log.publisher(live.streamId, name);
  }
}

function demandStored(outcomes: readonly CommitOutcome[]): void {
  const isStored = outcomes.every(({ kind }) => kind === 'stored');
  demand(isStored, 'BLOCKED', () => JSON.stringify(outcomes));
}

async function readAll(stage: Stage, { log }: Service, stream: StreamName): Promise<void> {
  const live = stage.oracle.stored.live(stream);
  const state = await log.tail(stream);
  if (live === undefined || state === undefined) return;
  const place = { stream, streamId: state.streamId, limit: 1_000 };
  for (let from = state.first; from < state.next; ) {
    const bytes = { bytesMax: PAGE_BYTES, firstBytesMax: PAGE_BYTES };
    const page = await readPage(log, { ...place, ...bytes, from });
    demand(page.gap === undefined && page.next > from, 'LIVE_NOT_READ', () => `${from}`);
    from = page.next;
  }
  await checkUsage(log, live);
}

async function checkUsage(log: Service['log'], live: Incarnation): Promise<void> {
  const first = live.tail?.first ?? 0;
  const usage = await log.usage(live.streamId);
  const { commits, messages } = live.log;
  const segments = Map.groupBy(
    commits,
    (commit) =>
      commits.filter(({ base, opensSegment }) => opensSegment && base <= commit.base).length,
  );
  const kept = [...segments.values()].filter((refs) => (refs.at(-1)?.end ?? 0) > first);
  const bytes = kept.flat().reduce((sum, commit) => sum + commit.bytes, 0);
  const isEmpty = first === live.log.next;
  const wanted = isEmpty ? { segments: 0, bytes: 0 } : { segments: kept.length, bytes };
  const isRight =
    usage.segments === wanted.segments &&
    usage.bytes === wanted.bytes &&
    usage.oldestMs === (isEmpty ? undefined : messages[first]?.timeMs);
  demand(isRight, 'USAGE_WRONG', () => `${JSON.stringify(usage)}, not ${JSON.stringify(wanted)}`);
}
