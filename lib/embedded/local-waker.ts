/**
 * Wakes the readers of this process: a set of watches for each stream that somebody watches. Beginning
 * and ending a watch take the same time however many others there are.
 */
import type { StreamId } from '../core/log/ids.ts';
import type { Waker, Watch } from '../ports/waker.ts';

export function createLocalWaker(): Waker {
  const watches = new Map<StreamId, Set<LocalWatch>>();
  return {
    wake(streamId) {
      for (const watch of watches.get(streamId) ?? []) watch.wake();
    },
    watch(streamId) {
      const ofStream = watches.get(streamId) ?? new Set();
      watches.set(streamId, ofStream);
      const watch = new LocalWatch(() => {
        ofStream.delete(watch);
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

  constructor(forget: () => void) {
    this.#forget = forget;
  }

  wake(): void {
    this.#isChanged = true;
    this.#resume?.();
  }

  changed(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => {
      this.#isChanged = false;
      this.#resume = undefined;
      signal.removeEventListener('abort', end);
      resolve();
    };
    this.#resume = end;
    if (this.#isChanged || signal.aborted) end();
    else signal.addEventListener('abort', end);
    return promise;
  }

  /** Whoever still waits is let go: nobody will wake it any more. */
  close(): void {
    this.#resume?.();
    this.#forget();
  }
}
