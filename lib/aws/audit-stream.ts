/**
 * Walks one stream from its first retained message to its last, as a reader does (PROTOCOL R8), and reads every
 * object whole. What is not where it should be is looked for again by a fresh tail: a trim, a packing or a
 * collection may have come between.
 */
import { CorruptChunk } from '../format/corrupt-chunk.ts';
import { chunkObjectName, segmentObjectName } from '../format/object-key.ts';
import { decodeSegmentBlock } from '../format/segment-block.ts';
import { decodeSegmentIndex } from '../format/segment-index.ts';
import type { AuditFinding, AuditWatcher } from '../ports/audit.ts';
import { StoreError } from '../ports/store-error.ts';
import type { AwsContext } from './aws-context.ts';
import { findSource } from './find-source.ts';
import type { KnownStream } from './known-stream.ts';
import type { PlacedRef } from './placed-refs.ts';
import type { PlacedPiece } from './segment-item.ts';
import { firstRefs } from './stream-index.ts';
import { sealedFrom } from './stream-segments.ts';
import type { Tail } from './tail-item.ts';

const LOOKS_MAX = 3;
/** Read at the same time. */
const REFS_AT_ONCE = 16;

/** The context is one of its own, without anything that was seen before. */
export async function auditStream(
  context: AwsContext,
  { tail }: KnownStream,
  watcher: AuditWatcher,
): Promise<void> {
  let at: number = tail.first;
  for (let looks = 1; at < tail.next; ) {
    const now = looks === 1 ? tail : (await context.streams.loadById(tail.streamId))?.tail;
    if (now === undefined) return;
    at = Math.max(at, now.first);
    const step = await auditFrom(context, now, at);
    if (step.faults.length > 0 && looks < LOOKS_MAX) {
      looks++;
      context.packed.forget(tail.streamId);
      continue;
    }
    for (const fault of step.faults) watcher.found(fault);
    watcher.looked({ messages: step.end - at, objects: step.objects, bytes: step.bytes });
    at = step.end;
    looks = 1;
  }
}

interface Step {
  /** Everything below it was looked at. */
  readonly end: number;
  readonly faults: readonly AuditFinding[];
  readonly objects: number;
  readonly bytes: number;
}

async function auditFrom(context: AwsContext, tail: Tail, at: number): Promise<Step> {
  const range = { from: at, end: tail.next, bytesMax: Number.POSITIVE_INFINITY };
  const source = await findSource(context, tail, { ...range, refsMax: REFS_AT_ONCE });
  if (source === undefined) return await hole(context, tail, at);
  if (source.kind === 'piece') return await auditPiece(context, tail, source.piece);
  const steps = await Promise.all(source.refs.map((ref) => auditRef(context, tail, ref)));
  return {
    end: source.refs.at(-1)?.end ?? tail.next,
    faults: steps.flatMap(({ faults }) => faults),
    objects: steps.length,
    bytes: steps.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** Up to where the index, the segments or the tail go on. */
async function hole({ table }: AwsContext, tail: Tail, at: number): Promise<Step> {
  const { streamId, base } = tail;
  const [ref] = await firstRefs(table, streamId, at + 1);
  let segment: number | undefined;
  for await (const { first } of sealedFrom(table, streamId, at + 1)) {
    segment = first;
    break;
  }
  const end = Math.min(Math.max(base, at + 1), ref?.base ?? tail.next, segment ?? tail.next);
  const what = `stream ${streamId}: nothing refers to messages [${at}, ${end})`;
  return { end, faults: [{ kind: 'hole', what }], objects: 0, bytes: 0 };
}

async function auditRef({ chunks }: AwsContext, { streamId }: Tail, ref: PlacedRef): Promise<Step> {
  const { base, end, ulid, bytes } = ref;
  const name = chunkObjectName({ streamId, ulid });
  const step = { end, objects: 1, bytes };
  try {
    const found = await chunks.loadOnce(streamId, ref);
    if (found === undefined) return { ...step, faults: [dangling(name, ref)] };
    const count = found.reduce((sum, chunk) => sum + chunk.count, 0);
    const held = found.reduce((sum, chunk) => sum + chunk.bytes, 0);
    if (count === end - base && held === bytes) return { ...step, faults: [] };
    const what = `object ${name} holds ${count} messages of ${held} bytes, not ${end - base} of ${bytes}`;
    return { ...step, faults: [{ kind: 'corrupt', what }] };
  } catch (error) {
    return { ...step, faults: [corrupt(error)] };
  }
}

async function auditPiece(
  { objects }: AwsContext,
  { streamId }: Tail,
  piece: PlacedPiece,
): Promise<Step> {
  const { base, end, ulid, bytes } = piece;
  const name = segmentObjectName({ streamId, first: base, end, ulid });
  const step = { end, objects: 1, bytes };
  const stored = await objects.get(name);
  if (stored === undefined) return { ...step, faults: [dangling(name, piece)] };
  try {
    checkPiece(stored, piece, name);
    return { ...step, faults: [] };
  } catch (error) {
    return { ...step, faults: [corrupt(error)] };
  }
}

function checkPiece(stored: Uint8Array, piece: PlacedPiece, name: string): void {
  const { base, end, bytes, indexStart } = piece;
  const what = `object ${name}`;
  if (stored.length !== bytes)
    throw new CorruptChunk(`${what} has ${stored.length} bytes, not ${bytes}`);
  const index = decodeSegmentIndex(stored.subarray(indexStart), what);
  if (index.first !== base || index.end !== end) {
    throw new CorruptChunk(`${what} holds [${index.first}, ${index.end}), not [${base}, ${end})`);
  }
  for (const block of index.blocks) {
    decodeSegmentBlock(stored.subarray(block.start, block.start + block.size), block, what);
  }
}

function dangling(name: string, { base, end }: { base: number; end: number }): AuditFinding {
  return { kind: 'dangling', what: `object ${name} of messages [${base}, ${end}) is not there` };
}

/** Anything else is no finding. */
function corrupt(error: unknown): AuditFinding {
  const isDamage =
    error instanceof CorruptChunk || (error instanceof StoreError && error.kind === 'corrupt');
  if (!isDamage) throw error;
  return { kind: 'corrupt', what: error.message };
}
