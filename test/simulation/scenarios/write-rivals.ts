/** Two instances under one publisher's name: the one with the newer epoch shuts the other out (SPEC D11). */
import type { PublisherName, StreamName } from '../../../lib/core/log/ids.ts';
import { publisherName } from '../../support/batches.ts';
import { publish } from '../oracle/check-outcomes.ts';
import type { Stage } from './stage.ts';

const REQUESTS = 4;
const PAUSE_MS_END = 200;
const GAP_END = 10;

interface Rival {
  readonly name: PublisherName;
  readonly stream: StreamName;
  readonly epoch: number;
}

export async function writeRivals(stage: Stage): Promise<void> {
  const name = publisherName(`rival${stage.newNumber()}`);
  const stream = stage.stream();
  await Promise.all([1, 2].map((epoch) => writeAs(stage, { name, stream, epoch })));
}

/** Above the highest id that it knows of: what lies below may be answered as known though it is not. */
async function writeAs(stage: Stage, { name, stream, epoch }: Rival): Promise<void> {
  const { chance, oracle } = stage;
  for (let count = 0; count < REQUESTS; count++) {
    await stage.pause(chance.below(PAUSE_MS_END) * epoch);
    const heard = await stage.call(async ({ log }) => {
      const state = await log.tail(stream);
      return state && (await log.publisher(state.streamId, name));
    });
    if (heard.kind !== 'answer') continue;
    const ids = [(heard.result?.highestId ?? 0) + 1 + chance.below(GAP_END)];
    const request = { stream, count: 1, timeMs: stage.nowMs(), publisher: { name, ids, epoch } };
    await stage.call(({ log }) => publish(oracle, log, [{ ...request, hasRival: true }]));
  }
}
