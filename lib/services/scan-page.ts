/**
 * Reads one page of what a filter matches (SPEC F7): looks on, round by round, until the page is full, the tail
 * is reached, or so much was looked at that the reader is better told how far it is (SPEC O15). What the page
 * begins with may be a gap; one that is met later ends it, and the next page begins with that (SPEC O16).
 */
import type { MessageFilter } from '../core/filter/filter.ts';
import { createMatcher, type HeadersMatcher } from '../core/filter/match-headers.ts';
import { type Offset, offset } from '../core/log/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { ChunkRange, LogStore, ScannedChunks } from '../ports/log-store.ts';
import { LostMessages } from '../ports/store-error.ts';
import { withoutBlindCopies } from './blind-copies.ts';
import { MatchCollector } from './page-matches.ts';
import type { Slices } from './page-slices.ts';
import { type PageRequest, type ReadPage, readPage, readPageBy } from './read-page.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** A third of a second on one machine, about a second from S3: an answer is not held back for longer. */
const SCAN_BYTES_MAX = 32 * MIB;
/** Rounds that were ruled out by summaries weigh nothing, but are requests to S3 too. */
const SCAN_ROUNDS_MAX = 64;
/** On a store that is slow, or of a filter that is. */
const SCAN_MS_MAX = 2_000;
/** Matching a MiB of small messages takes some milliseconds, during which nobody else is served. */
const ROUND_BYTES_MAX = 1 * MIB;
/** A filter of a hundred areas takes ten times as long: then a round is made smaller. */
const ROUND_MS_MAX = 10;
/** What is wanted may be the next message: a small page does not begin with a large read. */
const ROUND_BYTES_MIN = 64 * KIB;

export interface Filtering {
  readonly filter: MessageFilter;
  /** Awaited between two rounds, so that others are served in between. */
  takeTurn(): Promise<void>;
}

/** A filter for the time of one read. */
export interface Scan extends Filtering {
  readonly matches: HeadersMatcher;
  readonly clock: Clock;
  /** Ends it between two rounds (SPEC LR5). */
  readonly signal: AbortSignal;
}

export function createScan(filtering: Filtering, clock: Clock, signal: AbortSignal): Scan {
  const { filter } = filtering;
  const matches = createMatcher(filter);
  return { filter, matches, takeTurn: () => filtering.takeTurn(), clock, signal };
}

/** With a filter or without one. */
export async function readWanted(
  log: LogStore,
  request: PageRequest,
  scan: Scan | undefined,
): Promise<ReadPage> {
  return scan === undefined ? await readPage(log, request) : await scanPage(log, request, scan);
}

async function scanPage(log: LogStore, request: PageRequest, scan: Scan): Promise<ReadPage> {
  return await readPageBy(log, request, (from, { next: end }) =>
    collect(log, { ...request, from, end }, scan),
  );
}

interface CollectRequest extends PageRequest {
  readonly end: Offset;
}

/** Undefined when nothing is there: what the page was to begin with is trimmed or gone. */
async function collect(
  log: LogStore,
  request: CollectRequest,
  scan: Scan,
): Promise<Slices | LostMessages | undefined> {
  const { streamId, from, end } = request;
  const page = new MatchCollector(request, scan.matches);
  let bytesMax = Math.min(Math.max(request.bytesMax, ROUND_BYTES_MIN), ROUND_BYTES_MAX);
  const endMs = scan.clock.elapsedMs() + SCAN_MS_MAX;
  let bytes = 0;
  for (let rounds = 0; rounds < SCAN_ROUNDS_MAX && bytes < SCAN_BYTES_MAX; rounds++) {
    if (rounds > 0 && !(await goesOn(scan, endMs))) break;
    const range = { streamId, from: offset(page.next), end, bytesMax };
    const found = await scanRound(log, range, scan.filter);
    if (found === undefined || found instanceof LostMessages) {
      return page.next > from ? page.finish('scan') : found;
    }
    const startMs = scan.clock.elapsedMs();
    const ended = page.add(found);
    if (ended !== undefined) return page.finish(ended);
    bytes += found.chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
    bytesMax = nextRoundBytes(bytesMax, scan.clock.elapsedMs() - startMs);
  }
  return page.finish('scan');
}

async function goesOn({ takeTurn, signal, clock }: Scan, endMs: number): Promise<boolean> {
  await takeTurn();
  return !signal.aborted && clock.elapsedMs() < endMs;
}

function nextRoundBytes(bytes: number, tookMs: number): number {
  if (tookMs > ROUND_MS_MAX) return Math.max(Math.floor(bytes / 2), ROUND_BYTES_MIN);
  return Math.min(bytes * 2, ROUND_BYTES_MAX);
}

/** Undefined when it looked at nothing. */
async function scanRound(
  log: LogStore,
  range: ChunkRange,
  filter: MessageFilter,
): Promise<ScannedChunks | LostMessages | undefined> {
  try {
    const { chunks, end } = await log.scanChunks(range, filter);
    const found = { chunks: chunks.map(withoutBlindCopies), end };
    return found.chunks.length === 0 && found.end <= range.from ? undefined : found;
  } catch (error) {
    if (error instanceof LostMessages) return error;
    throw error;
  }
}
