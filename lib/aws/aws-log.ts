/** The log on objects and one table: the port, put together from its parts. */
import type { CommitOutcome } from '../core/log/commit-batch.ts';
import type { StreamName } from '../core/log/ids.ts';
import type { Append, LogStore } from '../ports/log-store.ts';
import { StoreError } from '../ports/store-error.ts';
import type { AwsContext } from './aws-context.ts';
import { setFencingToken, trimStream } from './change-tail.ts';
import { commitToStream } from './commit-stream.ts';
import { findTime } from './find-time.ts';
import { streamStateOf } from './known-stream.ts';
import { findPublisher, listPublishers } from './publisher-list.ts';
import { readChunks, scanChunks } from './read-chunks.ts';
import { retainStream } from './retain-stream.ts';
import { listSegments, streamUsage } from './stream-usage.ts';

export function createAwsLog(context: AwsContext): LogStore {
  return {
    commit: (appends) => commitAll(context, appends),
    async tail(name) {
      const stream = await context.streams.load(name);
      return stream && streamStateOf(stream);
    },
    readChunks: (range) => readChunks(context, range),
    scanChunks: (range, filter) => scanChunks(context, range, filter),
    findTime: (query) => findTime(context, query),
    usage: (streamId) => streamUsage(context, streamId),
    segments: (query) => listSegments(context, query),
    publisher: (streamId, name) => findPublisher(context, streamId, name),
    listPublishers: (streamId, query) => listPublishers(context, streamId, query),
    async retain(streamId, nowMs) {
      const stream = await context.streams.loadById(streamId);
      const retained = stream && (await retainStream(context, stream, { nowMs }));
      return retained && { first: retained.first, dropped: retained.dropped };
    },
    trim: (streamId, before) => trimStream(context, streamId, before),
    setFencingToken: (streamId, token) => setFencingToken(context, streamId, token),
  };
}

/** Streams have nothing to do with one another: one object and one update for each, at the same time. */
async function commitAll(
  context: AwsContext,
  appends: readonly Append[],
): Promise<readonly CommitOutcome[]> {
  const groups = Map.groupBy(appends.entries(), ([, { stream }]) => stream);
  const settled = await Promise.allSettled(
    [...groups].map(([name, entries]) => commitGroup(context, name, entries)),
  );
  const outcomes = new Map(settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])));
  const failed = settled.filter((one) => one.status === 'rejected').map(({ reason }) => reason);
  if (failed.length > 0) throw failureOf(failed, [...outcomes.values()]);
  return appends.flatMap((_, index) => outcomes.get(index) ?? []);
}

/** An error is told to all appends, also to those of streams that were committed. */
function failureOf(failed: readonly unknown[], outcomes: readonly CommitOutcome[]): unknown {
  const [first] = failed;
  const isStored = outcomes.some(({ kind }) => kind === 'stored');
  const worst = failed.find(
    (one) => !(one instanceof StoreError) || one.sideEffects === 'possible',
  );
  if (worst !== undefined || !isStored || !(first instanceof StoreError)) return worst ?? first;
  return new StoreError(first.message, { kind: first.kind, sideEffects: 'possible', cause: first });
}

async function commitGroup(
  context: AwsContext,
  name: StreamName,
  entries: readonly (readonly [number, Append])[],
): Promise<readonly (readonly [number, CommitOutcome])[]> {
  const outcomes = await commitToStream(
    context,
    name,
    entries.map(([, append]) => append),
  );
  return entries.flatMap(([index], at) => {
    const outcome = outcomes[at];
    return outcome === undefined ? [] : [[index, outcome] as const];
  });
}
