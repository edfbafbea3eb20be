/**
 * Audits a bucket and a table: every stream of the registry from end to end, then every object that no stream
 * refers to. Objects of a stream that is being created or swept have a grave, and are left to that.
 */
import type { StreamId } from '../core/log/ids.ts';
import {
  parseChunkObjectName,
  parseSegmentObjectName,
  streamPrefix,
} from '../format/object-key.ts';
import { formatUlid, type Ulid, ulidTimeMs } from '../format/ulid.ts';
import type { Audit, AuditWatcher } from '../ports/audit.ts';
import { StoreError } from '../ports/store-error.ts';
import { auditStream } from './audit-stream.ts';
import type { AwsContext } from './aws-context.ts';
import { referredChunks, referredPieces } from './collect-objects.ts';
import { decodeRegistryEntry, type RegistryEntry } from './create-stream.ts';
import { GRACE_MS } from './horizon.ts';
import { KnownSegments } from './known-segments.ts';
import { graveKey, REGISTRY } from './table-key.ts';

/** A pass of maintenance comes within an hour behind the grace; twice that is one that did not. */
const ORPHAN_AGE_MS = 4 * GRACE_MS;

export function createAwsAudit(parts: AwsContext): Audit {
  return {
    async run(watcher, signal) {
      const context = { ...parts, packed: new KnownSegments() };
      const alive = new Set<StreamId>();
      for await (const { name, streamId } of registry(context)) {
        if (signal.aborted) return;
        alive.add(streamId);
        const stream = await context.streams.load(name);
        if (stream?.tail.streamId !== streamId) continue;
        watcher.looked({ streams: 1 });
        await goingOn(watcher, () => auditStream(context, stream, watcher));
        await goingOn(watcher, () => auditObjects(context, streamId, watcher));
      }
      await auditForeign(context, { alive, watcher, signal });
    },
  };
}

/** An item that is damaged hides what lies behind it, in its stream alone. */
async function goingOn(watcher: AuditWatcher, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof StoreError) || error.kind !== 'corrupt') throw error;
    watcher.found({ kind: 'corrupt', what: error.message });
  }
}

async function* registry({ table }: AwsContext): AsyncGenerator<RegistryEntry> {
  let page: string | undefined;
  do {
    const found = await table.query({ k: REGISTRY, ...(page !== undefined && { page }) });
    yield* found.items.map(decodeRegistryEntry);
    page = found.next;
  } while (page !== undefined);
}

/** What is listed first and referred to neither before nor afterwards, and is too old to be on its way. */
async function auditObjects(
  context: AwsContext,
  streamId: StreamId,
  watcher: AuditWatcher,
): Promise<void> {
  const before = await referred(context, streamId);
  const suspects: string[] = [];
  for await (const name of objectNames(context, streamPrefix(streamId))) {
    if (!before.has(idOf(name) ?? '') && isOld(context, name)) suspects.push(name);
  }
  if (suspects.length === 0) return;
  const now = await referred(context, streamId);
  for (const name of suspects) {
    if (!now.has(idOf(name) ?? '')) tellOrphan(watcher, name);
  }
}

async function referred(context: AwsContext, streamId: StreamId): Promise<ReadonlySet<string>> {
  const stream = await context.streams.loadById(streamId);
  if (stream === undefined) return new Set();
  const chunks = await referredChunks(context.table, stream.tail);
  return chunks.union(await referredPieces(context.table, streamId));
}

interface ForeignAudit {
  readonly alive: ReadonlySet<StreamId>;
  readonly watcher: AuditWatcher;
  readonly signal: AbortSignal;
}

/** Objects of streams that do not exist; those of the others are passed over by the prefix. */
async function auditForeign(context: AwsContext, { alive, watcher, signal }: ForeignAudit) {
  let page: string | undefined;
  do {
    if (signal.aborted) return;
    const found = await context.objects.list({ prefix: '', ...(page !== undefined && { page }) });
    page = found.next;
    for (const name of found.names) {
      const streamId = streamOf(name);
      if (streamId !== undefined && alive.has(streamId)) {
        // Sorts behind all names of that stream.
        page = `${streamPrefix(streamId)}~`;
        break;
      }
      if (await isForeign(context, name, streamId)) tellOrphan(watcher, name);
    }
  } while (page !== undefined);
}

async function isForeign(
  context: AwsContext,
  name: string,
  streamId: StreamId | undefined,
): Promise<boolean> {
  if (streamId === undefined) return true;
  if (!isOld(context, name)) return false;
  const grave = await context.table.get(graveKey(streamId));
  return grave === undefined && (await context.streams.loadById(streamId)) === undefined;
}

async function* objectNames({ objects }: AwsContext, prefix: string): AsyncGenerator<string> {
  let page: string | undefined;
  do {
    const found = await objects.list({ prefix, ...(page !== undefined && { page }) });
    yield* found.names;
    page = found.next;
  } while (page !== undefined);
}

function keyOf(name: string) {
  return parseChunkObjectName(name) ?? parseSegmentObjectName(name);
}

function streamOf(name: string): StreamId | undefined {
  return keyOf(name)?.streamId;
}

function idOf(name: string): string | undefined {
  const ulid: Ulid | undefined = keyOf(name)?.ulid;
  return ulid && formatUlid(ulid);
}

function isOld({ clock }: AwsContext, name: string): boolean {
  const ulid = keyOf(name)?.ulid;
  return ulid === undefined || ulidTimeMs(ulid) < clock.nowMs() - ORPHAN_AGE_MS;
}

function tellOrphan(watcher: AuditWatcher, name: string): void {
  watcher.found({ kind: 'orphan', what: `object ${name}: nothing refers to it` });
}
