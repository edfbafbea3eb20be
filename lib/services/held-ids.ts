/**
 * Ids of held messages, which rise in the order in which they are made here: messages that are due together are
 * released as they arrived (SPEC L4). Those of two processes are told apart by chance, and rise by their clocks.
 */
import { type HeldId, heldId } from '../core/timer/held-id.ts';
import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';

export interface HeldIds {
  mint(dueMs: number): HeldId;
}

const TIME_DIGITS = 12;
const RANDOM_DIGITS = 20;

export function createHeldIds({
  clock,
  random,
}: {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly random: Random;
}): HeldIds {
  let last = { timeMs: 0, counter: 0n };
  return {
    mint(dueMs) {
      const timeMs = clock.nowMs();
      // A clock that stands or steps back counts on.
      last =
        timeMs > last.timeMs
          ? { timeMs, counter: BigInt(`0x0${random.hex128().slice(0, RANDOM_DIGITS - 1)}`) }
          : { ...last, counter: last.counter + 1n };
      const time = last.timeMs.toString(16).padStart(TIME_DIGITS, '0');
      return heldId(dueMs, `${time}${last.counter.toString(16).padStart(RANDOM_DIGITS, '0')}`);
    },
  };
}
