/** Batches of 1 000 messages of 1 KiB, four on their way at a time. */
import type { Contender } from '../contender.ts';
import { type LoadResult, runLoad } from '../load.ts';
import { medians, type RowOptions } from './singles.ts';

const LANES = 4;

export async function measureBatches(
  contender: Contender,
  form: string,
  { runs, seconds }: RowOptions,
) {
  const lanes = await contender.batches(form, LANES);
  try {
    const results: LoadResult[] = [];
    for (let run = 0; run < runs; run++) results.push(await runLoad(lanes, seconds));
    return medians(results);
  } finally {
    await lanes.close();
  }
}

/** Writes batches until at least so many messages are there, or the time is over; returns how many. */
export async function fillUp(
  contender: Contender,
  { messages, seconds }: { readonly messages: number; readonly seconds: number },
): Promise<number> {
  const form = contender.batchForms.at(-1) ?? '';
  const lanes = await contender.batches(form, LANES);
  const endMs = performance.now() + seconds * 1000;
  let [asked, written] = [0, 0];
  await Promise.all(
    lanes.senders.map(async (send) => {
      while (asked < messages && performance.now() < endMs) {
        asked += lanes.messages;
        await send();
        written += lanes.messages;
      }
    }),
  );
  await lanes.close();
  return written;
}
