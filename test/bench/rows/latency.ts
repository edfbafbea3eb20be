/** From the begin of a publish until a follower has the message, at 200 messages a second. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Contender } from '../contender.ts';
import { percentiles } from '../load.ts';
import { SMALL_BYTES } from '../messages.ts';

const PER_SECOND = 200;
/** The first ones find cold code. */
const WARM_UP_SHARE = 0.1;
const PACE_MS = 1;
const LAST_MS_MAX = 5_000;

export async function measureLatency(
  contender: Contender,
  followers: number,
  { seconds }: { readonly seconds: number },
) {
  const total = PER_SECOND * seconds;
  const heard: number[] = [];
  const countFrom = total * followers * WARM_UP_SHARE;
  let count = 0;
  const following = await contender.follow(followers, (body) => {
    count++;
    if (count > countFrom) heard.push(performance.now() - Number.parseFloat(body));
  });
  const publisher = await contender.publisher();
  await publishEvenly(publisher.send, total);
  const endMs = performance.now() + LAST_MS_MAX;
  while (count < total * followers && performance.now() < endMs) await pause(PACE_MS);
  await following.stop();
  await publisher.close();
  if (count !== total * followers) throw new Error(`${count} of ${total * followers} were heard`);
  const { p50Ms, p99Ms } = percentiles(heard);
  return { 'p50 ms': p50Ms, 'p99 ms': p99Ms };
}

/** Each on its time, whether those before were answered or not; one at a time on the way. */
async function publishEvenly(send: (body: Buffer) => Promise<unknown>, total: number) {
  const startMs = performance.now();
  let last: Promise<unknown> = Promise.resolve();
  for (let sent = 0; sent < total; sent++) {
    const dueMs = startMs + (sent * 1000) / PER_SECOND;
    while (performance.now() < dueMs) await pause(PACE_MS);
    await last;
    last = send(Buffer.from(`${performance.now()} `.padEnd(SMALL_BYTES, '.')));
  }
  await last;
}
