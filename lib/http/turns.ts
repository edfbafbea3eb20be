/**
 * Lets readers that go on work some at a time, with a turn for everyone else in between: a thousand
 * followers that are ready at once would otherwise hold up all requests until the last has its piece.
 */

/** How long others may be kept waiting by those whose turn it is. */
const TURN_MS_MAX = 2;

export interface Turns {
  /** Resolves when it is the caller's turn; at once when nobody else has one. */
  take(): Promise<void>;
  /** How many wait for theirs. */
  count(): number;
}

/** Who takes turns with whom. */
export interface AllTurns {
  /** Followers: their pieces take some microseconds each, or a millisecond. */
  readonly live: Turns;
  /** Large pages: each takes milliseconds. */
  readonly pages: Turns;
}

export function createAllTurns(): AllTurns {
  return { live: createTurns({ someMax: 32 }), pages: createTurns({ someMax: 1 }) };
}

export interface TurnsOptions {
  /** How many go at a time at most. */
  readonly someMax: number;
  readonly nowMs?: () => number;
}

export function createTurns({ someMax, nowMs = () => performance.now() }: TurnsOptions): Turns {
  let waiting: (() => void)[] = [];
  let isUnderWay = false;
  /** How many go at a time: halved when a turn took long, doubled when it was short. */
  let some = 1;
  let begunMs = 0;

  function begin(): void {
    isUnderWay = true;
    begunMs = nowMs();
    setImmediate(end);
  }

  function end(): void {
    const tookMs = nowMs() - begunMs;
    some = tookMs > TURN_MS_MAX ? Math.ceil(some / 2) : Math.min(some * 2, someMax);
    isUnderWay = false;
    if (waiting.length === 0) return;

    const next = waiting.slice(0, some);
    waiting = waiting.slice(some);
    for (const resolve of next) resolve();
    begin();
  }

  return {
    count: () => waiting.length,
    take() {
      if (isUnderWay || waiting.length > 0) {
        return new Promise((resolve) => {
          waiting.push(resolve);
        });
      }
      begin();
      return Promise.resolve();
    },
  };
}
