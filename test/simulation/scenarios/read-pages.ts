/** Readers: page after page of one incarnation, from its beginning, a time, or anywhere, as services read. */
import { type Offset, offset, type StreamName } from '../../../lib/core/log/ids.ts';
import type { StreamState } from '../../../lib/core/log/stream-state.ts';
import { type ReadPage, readPage } from '../../../lib/services/read-page.ts';
import { demand } from '../oracle/violation.ts';
import type { Stage } from './stage.ts';

const PAGES_MAX = 8;
const PAGE_BYTES_END = 200;

export async function readPages(stage: Stage): Promise<void> {
  const stream = stage.stream();
  const heard = await stage.call(({ log }) => log.tail(stream));
  if (heard.kind !== 'answer' || heard.result === undefined) return;
  const { streamId } = heard.result;
  let from = await startOf(stage, heard.result);
  for (let pages = 0; pages < PAGES_MAX && from !== undefined; pages++) {
    from = await nextPage(stage, stream, { streamId, from });
  }
}

async function startOf(stage: Stage, state: StreamState): Promise<Offset | undefined> {
  const { chance } = stage;
  const { streamId, first, next, timeMs } = state;
  if (chance.percent(40)) return first;
  if (chance.percent(60)) return offset(chance.below(next + 1));
  const query = { streamId, first, next, timeMs: timeMs - chance.below(20_000) };
  const heard = await stage.call(({ log }) => log.findTime(query));
  return heard.kind === 'answer' ? heard.result : undefined;
}

type Place = Pick<Parameters<typeof readPage>[1], 'streamId' | 'from'>;

/** Undefined when the reader is done. */
async function nextPage(
  stage: Stage,
  stream: StreamName,
  place: Place,
): Promise<Offset | undefined> {
  const { chance, oracle } = stage;
  const acknowledged = oracle.stored.incarnation(place.streamId).acknowledgedNext;
  const request = {
    stream,
    ...place,
    limit: 1 + chance.below(10),
    bytesMax: 1 + chance.below(PAGE_BYTES_END),
    firstBytesMax: PAGE_BYTES_END,
  };
  const heard = await stage.call(async ({ log }) => {
    const page = await readPage(log, request);
    checkPage(stage, place, page);
    const isBehind = page.state.next < acknowledged;
    demand(!isBehind, 'ACKNOWLEDGED_NOT_SEEN', () => `${page.state.next} < ${acknowledged}`);
    return page;
  });
  if (heard.kind === 'failed') return undefined;
  if (heard.kind === 'silence') return place.from;
  const { next, state } = heard.result;
  return next >= state.next && chance.percent(50) ? undefined : next;
}

/** From where it was asked for on, without a break; only what was dropped is left out, and told. */
function checkPage({ oracle }: Stage, { streamId, from }: Place, page: ReadPage): void {
  const { tail } = oracle.stored.incarnation(streamId);
  const { gap, chunks, next, state } = page;
  const what = () => `from ${from}: ${JSON.stringify({ gap, next })}, first ${tail?.first}`;
  const start = gap?.firstAvailable ?? from;
  const isDropped = tail === undefined || start <= Math.max(tail.first, from);
  demand(isDropped, 'READER_SKIPPED_LIVE', what);
  const begins = chunks[0]?.base ?? start;
  const beginsRight = begins === start || from > state.next;
  demand(beginsRight, 'READER_SKIPPED_LIVE', what);
  const last = chunks.at(-1);
  const end = last === undefined ? start : last.base + last.count;
  demand(next === end, 'READER_WRONG_NEXT', what);
  demand(next > from || from >= state.next, 'READER_STUCK', what);
}
