/**
 * Wakes readers of streams that other processes write to: while somebody waits for a stream, its tail is
 * read now and then, by all of them together, and less often the longer nothing happens. What this process
 * commits itself wakes at once.
 */
import type { StreamId } from '../core/log/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { Waker, Watch } from '../ports/waker.ts';

/** Each is one read unit. The first finds what comes at once, the last is what a silent stream costs. */
export const POLL_MS_MIN = 200;
export const POLL_MS_MAX = 2_000;
const SLOWER = 1.5;

export interface PollingWakerOptions {
  /** Wakes the readers of this process. */
  readonly local: Waker;
  readonly clock: Clock;
  /** Texts that differ when the stream differs; undefined when it is not known, or gone. */
  readonly versions: StreamVersions;
}

export interface StreamVersions {
  /** As this process saw it last. */
  known(streamId: StreamId): string | undefined;
  current(streamId: StreamId): Promise<string | undefined>;
}

interface Poller {
  watches: number;
  readonly end: AbortController;
}

export function createPollingWaker({ local, clock, versions }: PollingWakerOptions): Waker {
  const pollers = new Map<StreamId, Poller>();

  async function poll(streamId: StreamId, { signal }: AbortController): Promise<void> {
    // From before the reader's first look: a change since then, seen by it or not, is one.
    let version = versions.known(streamId);
    let delayMs = POLL_MS_MIN;
    for (;;) {
      await clock.wait(delayMs, signal);
      if (signal.aborted) return;
      const now = await readVersion(streamId, version);
      const hasChanged = now !== version;
      version = now;
      delayMs = hasChanged ? POLL_MS_MIN : Math.min(delayMs * SLOWER, POLL_MS_MAX);
      if (hasChanged) local.wake(streamId);
    }
  }

  /** A failed read is no news: whoever is woken reads again, and is told of the failure itself. */
  async function readVersion(streamId: StreamId, before: string | undefined) {
    try {
      return await versions.current(streamId);
    } catch {
      return before;
    }
  }

  function begin(streamId: StreamId): Poller {
    const poller = { watches: 0, end: new AbortController() };
    pollers.set(streamId, poller);
    void poll(streamId, poller.end);
    return poller;
  }

  return {
    wake: (streamId) => local.wake(streamId),
    watch(streamId) {
      const watch = local.watch(streamId);
      const poller = pollers.get(streamId) ?? begin(streamId);
      poller.watches++;
      return sharing(watch, () => {
        if (--poller.watches > 0) return;
        poller.end.abort();
        pollers.delete(streamId);
      });
    },
  };
}

function sharing(watch: Watch, end: () => void): Watch {
  let isOpen = true;
  return {
    changed: (signal) => watch.changed(signal),
    close() {
      watch.close();
      if (isOpen) end();
      isOpen = false;
    },
  };
}
