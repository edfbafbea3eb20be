/**
 * Wakes the readers of this process: a set of watches for each stream that somebody watches. Beginning
 * and ending a watch take the same time however many others there are. A crowd is woken some at a time,
 * with a turn for everyone else in between, who would otherwise wait until the last of ten thousand was served.
 */
import type { StreamId } from '../core/log/ids.ts';
import type { Waker, Watch } from '../ports/waker.ts';

/** Each reads a page and answers. */
const WOKEN_AT_A_TIME = 32;

export function createLocalWaker(): Waker {
  const watches = new Map<StreamId, Set<LocalWatch>>();
  /** In the order they are woken. One that was to be woken and has not been yet is in it once. */
  const due = new Set<LocalWatch>();
  let isUnderWay = false;

  function wakeSome(): void {
    let left = WOKEN_AT_A_TIME;
    for (const watch of due) {
      if (left-- === 0) break;
      due.delete(watch);
      watch.wake();
    }
    isUnderWay = due.size > 0;
    if (isUnderWay) setImmediate(wakeSome);
  }

  return {
    wake(streamId) {
      for (const watch of watches.get(streamId) ?? []) due.add(watch);
      if (!isUnderWay) wakeSome();
    },
    watch(streamId) {
      const ofStream = watches.get(streamId) ?? new Set();
      watches.set(streamId, ofStream);
      const watch = new LocalWatch(() => {
        ofStream.delete(watch);
        due.delete(watch);
        if (ofStream.size === 0 && watches.get(streamId) === ofStream) watches.delete(streamId);
      });
      ofStream.add(watch);
      return watch;
    },
  };
}

class LocalWatch implements Watch {
  readonly #forget: () => void;
  /** True from a wake until somebody asks. */
  #isChanged = false;
  #resume: (() => void) | undefined;
  #wait: Promise<void> | undefined;

  constructor(forget: () => void) {
    this.#forget = forget;
  }

  wake(): void {
    this.#isChanged = true;
    this.#resume?.();
  }

  /** The same promise until it is over, however often it is asked for. */
  changed(signal: AbortSignal): Promise<void> {
    if (this.#wait !== undefined) return this.#wait;
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => {
      this.#isChanged = false;
      this.#resume = undefined;
      this.#wait = undefined;
      signal.removeEventListener('abort', end);
      resolve();
    };
    this.#resume = end;
    if (this.#isChanged || signal.aborted) {
      end();
      return promise;
    }
    this.#wait = promise;
    signal.addEventListener('abort', end);
    return promise;
  }

  /** Whoever still waits is let go: nobody will wake it any more. */
  close(): void {
    this.#resume?.();
    this.#forget();
  }
}
