/** A log whose answers are checked, whoever asks: each must be what the stream was at some moment meanwhile. */
import { streamStateOf } from '../../../lib/aws/known-stream.ts';
import type { StreamId, StreamName } from '../../../lib/core/log/ids.ts';
import type { StreamState } from '../../../lib/core/log/stream-state.ts';
import type { ChunkRange, LogStore, StoredChunk } from '../../../lib/ports/log-store.ts';
import { StoreError } from '../../../lib/ports/store-error.ts';
import { canonicalText } from '../canonical-text.ts';
import { checkTime } from './check-time.ts';
import { idText, messageIds } from './message-body.ts';
import type { Oracle } from './oracle.ts';
import { demand, Violation } from './violation.ts';

export function watchedLog(log: LogStore, oracle: Oracle): LogStore {
  return {
    ...log,
    async tail(name) {
      const begunAt = oracle.moment;
      const state = await log.tail(name);
      checkState(oracle, { name, begunAt }, state);
      return state;
    },
    async readChunks(range) {
      const chunks = await log.readChunks(range).catch(notLost);
      checkChunks(oracle, range, chunks);
      return chunks;
    },
    async findTime(query) {
      const offset = await log.findTime(query);
      checkTime(oracle, query, offset);
      return offset;
    },
    async publisher(streamId, name) {
      const { log: before } = oracle.stored.incarnation(streamId);
      const known = before.publishers.get(name)?.highestId ?? -1;
      const record = await log.publisher(streamId, name);
      const isGone = oracle.stored.incarnation(streamId).tail === undefined;
      const isOld = (record?.highestId ?? -1) < known && !isGone;
      demand(!isOld, 'PUBLISHER_FORGOTTEN', () => `${name}: ${record?.highestId}, not ${known}`);
      return record;
    },
    async trim(streamId, before) {
      oracle.trims.push({ streamId, before });
      const outcome = await log.trim(streamId, before);
      const { log: all, tail, acknowledgedFirst } = oracle.stored.incarnation(streamId);
      if (outcome?.kind !== 'trimmed') return outcome;
      const { first, dropped } = outcome;
      const what = () => `${first}, ${dropped} dropped, of ${tail?.first}`;
      const isRaised = tail === undefined || tail.first >= first;
      demand(isRaised && first <= all.next && dropped <= first, 'TRIM_WRONG', what);
      demand(first >= acknowledgedFirst || tail === undefined, 'TRIM_WRONG', what);
      return outcome;
    },
    async setFencingToken(streamId, token) {
      const call = oracle.tokens.begin(streamId, token);
      try {
        const isSet = await log.setFencingToken(streamId, token);
        call.isOpen = false;
        return isSet;
      } catch (error) {
        call.isVoid = error instanceof StoreError && error.sideEffects === 'none';
        throw error;
      }
    },
  };
}

function checkState(
  oracle: Oracle,
  { name, begunAt }: { readonly name: StreamName; readonly begunAt: number },
  state: StreamState | undefined,
): void {
  const shown = canonicalText(state);
  const wasSo = oracle.tailsSince(name, begunAt).some((tail) => {
    if (tail === undefined) return state === undefined;
    const settings = oracle.stored.incarnation(tail.streamId).settings.get(tail.epoch);
    return settings && canonicalText(streamStateOf({ name, tail, settings })) === shown;
  });
  demand(wasSo, 'TAIL_NEVER_SO', () => `${name}: ${shown}`);
}

/** What is retained is never lost, and never damaged. */
function notLost(error: unknown): never {
  const isCorrupt = error instanceof StoreError && error.kind === 'corrupt';
  throw isCorrupt ? new Violation('LOST', error.message) : error;
}

function checkChunks(oracle: Oracle, range: ChunkRange, chunks: readonly StoredChunk[]): void {
  const { from, end, streamId } = range;
  const { tail } = oracle.stored.incarnation(streamId);
  if (chunks.length === 0) {
    const isRight = from >= end || tail === undefined || from < tail.first;
    demand(isRight, 'LIVE_NOT_READ', () => `[${from}, ${end}) of ${streamId}`);
    return;
  }
  let next: number = from;
  for (const [at, chunk] of chunks.entries()) {
    const what = () => `chunk ${chunk.base} of ${chunk.count} behind ${next} of ${streamId}`;
    const follows = at === 0 ? chunk.base <= from : chunk.base === next;
    demand(follows && chunk.base + chunk.count > next, 'READ_WITH_A_BREAK', what);
    checkMessages(oracle, streamId, chunk);
    next = chunk.base + chunk.count;
  }
}

function checkMessages(oracle: Oracle, streamId: StreamId, chunk: StoredChunk): void {
  const { log } = oracle.stored.incarnation(streamId);
  for (const [at, id] of messageIds(chunk).entries()) {
    const message = log.messages[chunk.base + at];
    const what = () => `${idText(id)} of ${chunk.timeMs} at ${chunk.base + at} of ${streamId}`;
    demand(message !== undefined && idText(message) === idText(id), 'READ_WRONG', what);
    demand(message?.timeMs === chunk.timeMs, 'READ_WRONG_TIME', what);
  }
}
