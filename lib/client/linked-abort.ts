/**
 * An abort of one's own that also follows a signal, and lets go of it at the end: a listener left on a
 * long-lived signal is a leak for every request.
 */
export interface LinkedAbort {
  readonly signal: AbortSignal;
  /** Aborts this one only, and lets go of the signal that it followed. */
  end(reason?: unknown): void;
}

export function linkAbort(followed: AbortSignal | undefined): LinkedAbort {
  const own = new AbortController();
  const follow = () => end(followed?.reason);
  const end = (reason?: unknown) => {
    followed?.removeEventListener('abort', follow);
    own.abort(reason);
  };
  followed?.addEventListener('abort', follow, { once: true });
  if (followed?.aborted) follow();
  return { signal: own.signal, end };
}
