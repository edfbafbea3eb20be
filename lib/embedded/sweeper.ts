/**
 * Removes in the background what trims and deletions left behind, one bounded step at a time with a
 * pause for the commits that wait. A step that fails is tried again later: the work stays noted.
 */
import type { LogWriter } from './log-writer.ts';

/** At 256 runs a step still 25 000 runs a second. */
const PAUSE_MS = 10;
/** A full disk may be freed by hand, so this must go on, but not busily. */
const RETRY_MS = 5_000;

export class Sweeper {
  readonly #writer: LogWriter;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(writer: LogWriter, failed: (error: unknown) => void) {
    this.#writer = writer;
    this.#failed = failed;
  }

  /** There may be something to remove. */
  wake(): void {
    if (this.#timer === undefined) this.#after(PAUSE_MS);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #after(ms: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => this.#step(), ms).unref();
  }

  #step(): void {
    this.#timer = undefined;
    try {
      if (this.#writer.sweep()) this.#after(PAUSE_MS);
    } catch (error) {
      this.#failed(error);
      this.#after(RETRY_MS);
    }
  }
}
