/**
 * When requests waited for the stores: intervals of time, of which those that overlap count once. What is
 * left of a request's time is the service's own.
 */

export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

export interface StoreTime {
  add(span: Span): void;
  /** How much of the span some store, or the linger, took. */
  within(span: Span): number;
}

export function createStoreTime(): StoreTime {
  /** In the order of their starts: time only goes on. */
  const spans: Span[] = [];
  return {
    add: (span) => spans.push(span),
    within({ startMs, endMs }) {
      let [covered, reached] = [0, startMs];
      for (const span of spans) {
        const [from, to] = [Math.max(span.startMs, reached), Math.min(span.endMs, endMs)];
        if (to <= from) continue;
        covered += to - from;
        reached = to;
      }
      return covered;
    },
  };
}
