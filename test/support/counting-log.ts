/** Counts how often messages are read from the store behind an API: `createApi({ wrapLog })`. */
import type { LogStore } from '../../lib/ports/log-store.ts';

export interface ReadCounter {
  wrapLog(log: LogStore): LogStore;
  reads(): number;
}

export function createReadCounter(): ReadCounter {
  let reads = 0;
  return {
    wrapLog: (log) => ({
      ...log,
      readChunks: (query) => {
        reads++;
        return log.readChunks(query);
      },
    }),
    reads: () => reads,
  };
}
