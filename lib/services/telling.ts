/**
 * When a follower is to be told where it is although no message came for it: after silence, so that a broken
 * connection shows, and soon after messages were passed over that its filter does not match, so that it need
 * not look at them again when it resumes (SPEC LR3).
 */
import { PASSED_PING_EVERY_MS, PING_EVERY_MS } from '../core/log/limits.ts';
import type { Clock } from '../ports/clock.ts';

export class Telling {
  readonly #clock: Clock;
  #toldMs: number;
  #isBehind = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#toldMs = clock.elapsedMs();
  }

  note(kind: 'batch' | 'gap' | 'ping' | 'advance'): void {
    this.#isBehind = kind === 'advance';
    if (!this.#isBehind) this.#toldMs = this.#clock.elapsedMs();
  }

  /** Something was passed over, and nothing was told for long enough. */
  isDue(): boolean {
    return this.#isBehind && this.silenceMs() <= 0;
  }

  /** After how long without news it is to be told. */
  silenceMs(): number {
    if (!this.#isBehind) return PING_EVERY_MS;
    return this.#toldMs + PASSED_PING_EVERY_MS - this.#clock.elapsedMs();
  }
}
