/** Held messages as tests over HTTP make and see them. */
import { storedHeldId } from '../../lib/core/timer/held-id.ts';
import type { Answer, LocalApi } from './api.ts';
import { batchOf, streamName } from './batches.ts';

/** The id that the description of the API has for an example. */
export const EXAMPLE_ID = storedHeldId('019ad0c4e3a0019ad0c4e3a00123456789abcdef0123');

/** Holds a message under the id of the example, for a stream that is there. */
export async function holdExample({ components }: LocalApi, stream: string): Promise<void> {
  const delays = [{ index: 0, id: EXAMPLE_ID, bytes: 1 }];
  const append = { stream: streamName(stream), batch: batchOf('a'), timeMs: 1_000, delays };
  const outcome = await components.appends.submit(append);
  if (outcome.kind !== 'held') throw new Error(`not held: ${JSON.stringify(outcome)}`);
}

export interface HeldAnswer {
  readonly index: number;
  readonly id: string;
  readonly due: number;
}

export interface HeldItem {
  readonly id: string;
  readonly due: number;
  readonly [member: string]: unknown;
}

export function heldIn(answer: Answer): readonly HeldAnswer[] {
  const { held }: { held?: readonly HeldAnswer[] } = answer.json();
  if (held === undefined) throw new Error(`nothing held: ${answer.status} ${answer.text}`);
  return held;
}

export async function listHeld(api: LocalApi, query = ''): Promise<readonly HeldItem[]> {
  const answer = await api.call(`GET /v1/delayed${query}`);
  const { items }: { items?: readonly HeldItem[] } = answer.json();
  if (items === undefined) throw new Error(`no list: ${answer.text}`);
  return items;
}

/** The clock goes on, and what is due by then is released, as the server does by itself. */
export async function passMs(api: LocalApi, ms: number): Promise<void> {
  await api.clock.advance(ms);
  const { failed } = await api.release();
  if (failed > 0) throw new Error(`releases failed: ${JSON.stringify(api.errors)}`);
}
