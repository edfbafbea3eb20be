/** All that can be seen of a store in the middle of a history, whatever it is made of. */
import type { SegmentEntry, StreamUsage } from '../../lib/ports/log-store.ts';
import { at } from '../support/batches.ts';
import { CONSUMERS, EVERYTHING, PUBLISHERS } from './store-commands.ts';
import type { StoreUnderTest } from './store-under-test.ts';

export async function observe({
  log,
  catalog,
  consumers,
  timers,
}: StoreUnderTest): Promise<unknown> {
  const entries = await catalog.list(EVERYTHING);
  const streams = entries.map(async ({ name, streamId }) => {
    const state = await log.tail(name);
    if (state === undefined) throw new Error(`${name} is listed but has no tail`);
    const { first, next } = state;
    const reads = [first, Math.floor((first + next) / 2), next - 1].map((from) =>
      log.readChunks({ streamId, from: at(Math.max(from, 0)), end: next, bytesMax: 1_000_000 }),
    );
    const times = [0, 500, 1_000, 1_500, 2_500].map((timeMs) =>
      log.findTime({ streamId, first, next, timeMs }),
    );
    return {
      name,
      state,
      entry: await catalog.load(name),
      usage: asSealed(await log.usage(streamId)),
      segments: (await log.segments({ streamId, from: first, limit: 100 })).map(asOfSealed),
      publishers: await log.listPublishers(streamId, EVERYTHING),
      known: await Promise.all(PUBLISHERS.map((publisher) => log.publisher(streamId, publisher))),
      consumers: await consumers.list(streamId, EVERYTHING),
      stored: await Promise.all(CONSUMERS.map((consumer) => consumers.load(streamId, consumer))),
      reads: await Promise.all(reads),
      times: await Promise.all(times),
    };
  });
  const held = await timers.list({ startAfter: '', limit: 100 });
  const count = await timers.count();
  return { entries, streams: await Promise.all(streams), held, count };
}

/** Whether a sealed segment is packed already is the store's own affair. */
function asOfSealed(segment: SegmentEntry): SegmentEntry {
  const state = segment.state === 'packed' ? 'sealed' : segment.state;
  return { ...segment, state, objects: [] };
}

function asSealed({ oldest, ...usage }: StreamUsage): StreamUsage {
  return { ...usage, ...(oldest && { oldest: asOfSealed(oldest) }) };
}
