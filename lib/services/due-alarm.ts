/** Wakes whoever releases held messages in this process when one comes in that is due before all others. */
import type { Clock } from '../ports/clock.ts';
import { linkAbort } from './linked-abort.ts';

export class DueAlarm {
  readonly #clock: Clock;
  #noticedMs = Number.POSITIVE_INFINITY;
  #lookAgain: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A message was accepted that is due then. */
  notice(dueMs: number): void {
    if (dueMs >= this.#noticedMs) return;
    this.#noticedMs = dueMs;
    this.#lookAgain?.();
  }

  /** Resolves at `atMs`, when something is due that was noticed since the last call, or as soon as `signal` aborts. */
  async until(atMs: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const leftMs = Math.min(atMs, this.#noticedMs) - this.#clock.nowMs();
      if (leftMs <= 0) break;
      const waiting = linkAbort(signal);
      this.#lookAgain = waiting.end;
      await this.#clock.wait(leftMs, waiting.signal);
      waiting.end();
    }
    this.#lookAgain = undefined;
    this.#noticedMs = Number.POSITIVE_INFINITY;
  }
}
