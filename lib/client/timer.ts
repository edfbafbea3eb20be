/** The only clock of the client library: runs something later. Tests give one of their own. */

export interface Timer {
  /** Returns what calls it off. */
  after(ms: number, run: () => void): () => void;
}

export const systemTimer: Timer = {
  after(ms, run) {
    const handle = setTimeout(run, ms);
    return () => clearTimeout(handle);
  },
};

/** Rejects with the signal's reason when that aborts first. */
export function wait(timer: Timer, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      cancel();
      signal.removeEventListener('abort', end);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    const cancel = timer.after(ms, end);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}

export interface Patience {
  readonly timer: Timer;
  readonly ms: number;
  readonly signal: AbortSignal;
  /** What is said when the time is over. */
  readonly fault: string;
}

/** Raced, not only aborted: not every `fetch` and every body gives up for a signal. */
export async function within<Result>(
  { timer, ms, signal, fault }: Patience,
  work: Promise<Result>,
): Promise<Result> {
  let stop = () => {};
  const end = new Promise<never>((_resolve, reject) => {
    const abort = () => reject(signal.reason);
    const cancel = timer.after(ms, () => reject(new Error(fault)));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    stop = () => {
      cancel();
      signal.removeEventListener('abort', abort);
    };
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    stop();
  }
}
