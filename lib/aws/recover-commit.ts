/**
 * Finds out what became of a commit whose answer was lost (PROTOCOL R1). In this order, which the model
 * check found to be the only safe one: fence the id, look for it in the refs of that very answer, and
 * only then in the index.
 */
import { isSameUlid, type Ulid } from '../format/ulid.ts';
import { StoreError } from '../ports/store-error.ts';
import type { AwsContext } from './aws-context.ts';
import { fenceUlid } from './fence-ulid.ts';
import type { KnownStream } from './known-stream.ts';
import { type PlacedRef, placeRefs } from './placed-refs.ts';
import { refsBefore, unbrokenRefs } from './stream-index.ts';
import type { Table } from './table.ts';
import type { Tail } from './tail-item.ts';

export type Recovered =
  | { readonly kind: 'stored'; readonly stream: KnownStream; readonly placement: PlacedRef }
  /** It never took effect, and never will. */
  | { readonly kind: 'absent'; readonly stream: KnownStream };

export interface LostCommit {
  /** As it was known before the commit was sent. */
  readonly stream: KnownStream;
  readonly ulid: Ulid;
  /** Every part is of a named publisher, whose condition refuses a commit that lands late (SPEC D1). */
  readonly isNamed: boolean;
}

export async function recoverCommit(context: AwsContext, lost: LostCommit): Promise<Recovered> {
  const { lostAnswers } = context.metrics;
  try {
    const recovered = await recover(context, lost);
    lostAnswers[recovered.kind].add(1);
    return recovered;
  } catch (cause) {
    lostAnswers.unknown.add(1);
    throw outcomeUnknown(cause);
  }
}

async function recover(context: AwsContext, lost: LostCommit): Promise<Recovered> {
  const { streams } = context;
  const now = await streams.load(lost.stream.name);
  const seen = found(now, lost);
  if (seen !== undefined) return seen;
  if (now?.tail.streamId !== lost.stream.tail.streamId) throw outcomeUnknown();
  if (lost.isNamed) return { kind: 'absent', stream: now };

  const item = await fenceUlid(context, now, lost.ulid);
  const fenced = await streams.adopt(lost.stream.name, item);
  const stored = found(fenced, lost) ?? (await findSpilled(context.table, fenced, lost));
  if (stored !== undefined) return stored;
  throw outcomeUnknown();
}

/** One of which is known that it took effect: where it came to lie. */
export async function findCommit(
  { streams, table }: AwsContext,
  { stream, ulid }: Omit<LostCommit, 'isNamed'>,
): Promise<Extract<Recovered, { kind: 'stored' }>> {
  const lost = { stream, ulid, isNamed: false };
  try {
    const now = await streams.load(stream.name);
    const stored = found(now, lost) ?? (await findSpilled(table, now, lost));
    if (stored?.kind === 'stored') return stored;
  } catch (cause) {
    // A look that fails says nothing of the commit, which is stored.
    throw outcomeUnknown(cause);
  }
  throw outcomeUnknown();
}

function found(stream: KnownStream | undefined, { ulid, stream: before }: LostCommit) {
  if (stream?.tail.streamId !== before.tail.streamId) return undefined;
  return storedAt(stream, placeRefs(stream.tail, stream.tail.refs), ulid);
}

function storedAt(
  stream: KnownStream,
  refs: readonly PlacedRef[],
  ulid: Ulid,
): Recovered | undefined {
  const ref = refs.find((other) => isSameUlid(other.ulid, ulid));
  return ref && { kind: 'stored', stream, placement: ref };
}

/** Undefined when the index does not cover all offsets that the commit may have got. */
async function findSpilled(
  table: Table,
  fenced: KnownStream | undefined,
  { stream: { tail: before }, ulid }: LostCommit,
): Promise<Recovered | undefined> {
  if (fenced?.tail.streamId !== before.streamId) return undefined;
  const { base } = fenced.tail;
  if (before.next >= base) return { kind: 'absent', stream: fenced };

  const refs = await refsFrom(table, before, base);
  const stored = storedAt(fenced, refs, ulid);
  if (stored !== undefined) return stored;
  return refs.at(-1)?.end === base ? { kind: 'absent', stream: fenced } : undefined;
}

/** From the item that holds `next` as it was before the commit, as far as the index is unbroken. */
async function refsFrom(
  table: Table,
  { streamId, next }: Tail,
  base: number,
): Promise<readonly PlacedRef[]> {
  const first = (await refsBefore(table, streamId, next)).filter(({ end }) => end > next);
  const from = first.at(-1)?.end ?? next;
  return [...first, ...(await Array.fromAsync(unbrokenRefs(table, streamId, { from, end: base })))];
}

export function outcomeUnknown(cause?: unknown): StoreError {
  return new StoreError(
    'the answer to a commit was lost, and whether it took effect is not known',
    {
      kind: 'timeout',
      sideEffects: 'possible',
      ...(cause !== undefined && { cause }),
    },
  );
}
