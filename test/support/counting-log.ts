/** Counts how often readers go to the store behind an API: `createApi({ wrapLog })`. */
import type { LogStore } from '../../lib/ports/log-store.ts';

export interface ReadCounter {
  wrapLog(log: LogStore): LogStore;
  /** For the state of a stream and for its messages: a page takes one of each. */
  reads(): number;
}

export function createReadCounter(): ReadCounter {
  let reads = 0;
  return {
    wrapLog: (log) => ({
      ...log,
      tail: (stream) => {
        reads++;
        return log.tail(stream);
      },
      readChunks: (query) => {
        reads++;
        return log.readChunks(query);
      },
    }),
    reads: () => reads,
  };
}
