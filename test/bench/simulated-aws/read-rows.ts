/** Reads over slow stores: what was just published, and pages of the past. */
import { createAwsStore } from '../../../lib/aws/aws-store.ts';
import { createPrometheusMeter } from '../../../lib/http/prometheus-meter.ts';
import { createSystemClock } from '../../../lib/process/system-clock.ts';
import { createSystemRandom } from '../../../lib/process/system-random.ts';
import { batchOf, idOf, streamName } from '../../support/batches.ts';
import { encodeRequest, type RawConnection } from '../../support/raw-connection.ts';
import type { Result } from '../results.ts';
import { figuresOf, timed } from './measured.ts';
import { openMany, type RowOptions, SINGLE } from './publish-rows.ts';
import { type Simulated, startSimulated } from './start-simulated.ts';
import type { Span } from './store-time.ts';

/** One page of 1 MiB; another chunk lies behind it, so that the page begins in the index. */
const CHUNKS = 16;
const CHUNK_MESSAGES = 64;
const STREAMS_PER_SECOND = 8;
const CACHED_ROUNDS = 4;

/** From the begin of a publish until a reader that waits has the message. */
export async function measureDelivery({ seed, scale, seconds, warmUp }: RowOptions) {
  const service = await startSimulated({ seed, lingerMs: 0 });
  const [reader, publisher] = await openMany(service, 2);
  try {
    if (reader === undefined || publisher === undefined) throw new Error('no connection');
    await publisher.send(SINGLE);
    let next = 1;
    const deliver = () => delivery(service, { reader, publisher, from: next++ });
    for (let time = 0; time < warmUp; time++) await deliver();
    service.stores.setScale(scale);
    const spans: Span[] = [];
    const endMs = performance.now() + seconds * 1_000;
    do spans.push(await deliver());
    while (performance.now() < endMs);
    return figuresOf(spans, service.stores.storeTime);
  } finally {
    reader?.close();
    publisher?.close();
    await service.end();
  }
}

async function delivery(
  service: Simulated,
  {
    reader,
    publisher,
    from,
  }: { readonly reader: RawConnection; readonly publisher: RawConnection; readonly from: number },
): Promise<Span> {
  const path = `/v1/streams/published/messages?from=${from}&wait=20`;
  const waits = service.readerWaits();
  const answer = reader.send(encodeRequest({ method: 'GET', path }));
  await waits;
  let acknowledged: Promise<unknown> = Promise.resolve();
  const span = await timed(async () => {
    acknowledged = publisher.send(SINGLE);
    const { body } = await answer;
    if (!body.includes(`"next":${from + 1}`)) throw new Error(`no message at ${from}: ${body}`);
  });
  await acknowledged;
  return span;
}

/** Pages of 1 MiB of streams that the process has never seen, and then of those that it has read before. */
export async function measurePages({
  seed,
  scale,
  seconds,
  warmUp,
  bodies,
}: RowOptions): Promise<{ readonly [State in 'cold' | 'cached']: Result['figures'] }> {
  const service = await startSimulated({ seed, lingerMs: 0 });
  const streams = Math.max(2, Math.round(seconds * STREAMS_PER_SECOND));
  await fillStreams(service, streams, bodies);
  const [connection] = await openMany(service, 1);
  try {
    const page = async (stream: number) => {
      const path = `/v1/streams/${nameOf(stream)}/messages?from=0&limit=${CHUNKS * CHUNK_MESSAGES}&as=binary`;
      const answer = await connection?.send(encodeRequest({ method: 'GET', path }));
      const least = 0.9 * CHUNKS * CHUNK_MESSAGES * 1_024;
      if ((answer?.body.length ?? 0) < least) throw new Error(`a page of ${answer?.body.length} B`);
    };
    // The last one is read only for the code to be warm.
    for (let time = 0; time < warmUp; time++) await page(streams);
    service.stores.setScale(scale);
    const [cold, cached]: [Span[], Span[]] = [[], []];
    for (let stream = 0; stream < streams; stream++) {
      cold.push(await timed(() => page(stream)));
      for (let round = 0; round < CACHED_ROUNDS; round++) {
        cached.push(await timed(() => page(stream)));
      }
    }
    const { storeTime } = service.stores;
    return { cold: figuresOf(cold, storeTime), cached: figuresOf(cached, storeTime) };
  } finally {
    connection?.close();
    await service.end();
  }
}

function nameOf(stream: number): string {
  return `past-${stream}`;
}

/** By another process, so that the one that is measured knows nothing of them. */
async function fillStreams(
  { stores }: Simulated,
  last: number,
  bodies: readonly string[],
): Promise<void> {
  const { log } = createAwsStore({
    ...stores.fast,
    clock: createSystemClock(),
    random: createSystemRandom(),
    meter: createPrometheusMeter(),
    telemetry: { error: () => {} },
  });
  for (let stream = 0; stream <= last; stream++) {
    for (let chunk = 0; chunk <= CHUNKS; chunk++) {
      const batch = batchOf(
        ...Array.from({ length: CHUNK_MESSAGES }, (_, index) => {
          return bodies[(chunk * CHUNK_MESSAGES + index) % bodies.length] ?? '';
        }),
      );
      const append = { stream: streamName(nameOf(stream)), batch, timeMs: Date.now() };
      const [outcome] = await log.commit([{ ...append, createAs: idOf(stream + 1) }]);
      if (outcome?.kind !== 'stored') throw new Error(`not stored: ${JSON.stringify(outcome)}`);
    }
  }
}
