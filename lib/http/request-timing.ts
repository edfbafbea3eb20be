/**
 * How long a request has taken, and how much of that it waited for the store: what `Server-Timing` says.
 * Calls under way at the same time count once.
 */
import type { Clock } from '../ports/clock.ts';

export class RequestTiming {
  readonly #clock: Clock;
  readonly #startMs: number;
  #isAsked = false;
  /** Calls under way, and since when there are any. */
  #open = 0;
  #openMs = 0;
  #storeMs = 0;
  #headMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startMs = clock.elapsedMs();
  }

  /** From the request to the head of its answer, or until now while there is none. */
  headMs(): number {
    return this.#headMs ?? this.#clock.elapsedMs() - this.#startMs;
  }

  async within<Result>(work: () => Promise<Result>): Promise<Result> {
    this.enterStore();
    try {
      return await work();
    } finally {
      this.leaveStore();
    }
  }

  enterStore(): void {
    this.#isAsked = true;
    if (this.#open++ === 0) this.#openMs = this.#clock.elapsedMs();
  }

  leaveStore(): void {
    if (--this.#open === 0) this.#storeMs += this.#clock.elapsedMs() - this.#openMs;
  }

  /** To be asked for when the head is made. Undefined when the store was not asked. */
  serverTiming(): string | undefined {
    if (!this.#isAsked) return undefined;
    const nowMs = this.#clock.elapsedMs();
    const storeMs = this.#storeMs + (this.#open > 0 ? nowMs - this.#openMs : 0);
    this.#headMs = nowMs - this.#startMs;
    return `store;dur=${millis(storeMs)}, total;dur=${millis(this.#headMs)}`;
  }
}

/** To the microsecond. Made of integers, whose text is three times as fast as that of a fraction. */
function millis(ms: number): string {
  const micros = Math.round(ms * 1000);
  return `${Math.floor(micros / 1000)}.${String(1000 + (micros % 1000)).slice(1)}`;
}
