/**
 * A second GET when the first takes long: one of a hundred answers of S3 takes ten times as long as the
 * others, and a page that reads many objects meets it. The first answer wins, the other GET is aborted.
 * At most one in twenty GETs is sent twice, so that a slow store is not loaded further.
 */
import type { Clock } from '../ports/clock.ts';
import type { Counter } from '../ports/meter.ts';

/** GETs of about one size, which are expected to take about equally long. */
export type SizeClass = 'small' | 'block' | 'large' | 'whole';

export interface HedgedGetOptions {
  readonly clock: Clock;
  /** Counts second GETs. */
  readonly hedged: Counter;
}

type Get<Answer> = (signal: AbortSignal) => Promise<Answer>;

export interface HedgedGet {
  /** Fails when `get` fails as often as it was called. */
  run<Answer>(sizeClass: SizeClass, signal: AbortSignal, get: Get<Answer>): Promise<Answer>;
}

const SMALL_BYTES_MAX = 64 * 1_024;
/** A block of a segment is about 1 MiB. */
const BLOCK_BYTES_MAX = 2 * 1_024 * 1_024;
/** Enough to tell the slowest 5 % apart, few enough to follow the hour of the day. */
const WINDOW = 100;
const WINDOW_MIN = 20;
/** While too few are known, which a fresh process meets with cold connections. */
const UNKNOWN_DELAY_MS = 500;
/** Below it a second GET costs more than it wins. */
const DELAY_MS_MIN = 50;
const HEDGES_PER_GET = 0.05;
/** After a quiet time; more would let a whole slow minute be doubled. */
const CREDIT_MAX = 10;

export function rangeSizeClass(bytes: number): SizeClass {
  if (bytes <= SMALL_BYTES_MAX) return 'small';
  return bytes <= BLOCK_BYTES_MAX ? 'block' : 'large';
}

export function createHedgedGet({ clock, hedged }: HedgedGetOptions): HedgedGet {
  const durations = new Map<SizeClass, RecentDurations>();
  let credit = 1;

  function takeCredit(): boolean {
    if (credit < 1) return false;
    credit -= 1;
    hedged.add(1);
    return true;
  }

  return {
    run(sizeClass, signal, get) {
      const recent = durations.get(sizeClass) ?? new RecentDurations();
      durations.set(sizeClass, recent);
      credit = Math.min(CREDIT_MAX, credit + HEDGES_PER_GET);
      const timed: typeof get = async (either) => {
        const startMs = clock.elapsedMs();
        const answer = await get(either);
        recent.add(clock.elapsedMs() - startMs);
        return answer;
      };
      return firstAnswer(timed, signal, (ask) =>
        clock.alarm(recent.hedgeDelayMs(), () => {
          if (takeCredit()) ask();
        }),
      );
    },
  };
}

/** `whenSlow` is given what asks once more and gives back what calls that off. */
function firstAnswer<Answer>(
  get: Get<Answer>,
  signal: AbortSignal,
  whenSlow: (ask: () => void) => () => void,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  let open = 0;
  const end = (settle: () => void) => {
    callOff();
    settle();
    over.abort();
  };
  const ask = () => {
    open++;
    get(either).then(
      (answer) => end(() => resolve(answer)),
      (error: unknown) => {
        open--;
        if (open === 0) end(() => reject(error));
      },
    );
  };
  const callOff = whenSlow(ask);
  ask();
  return promise;
}

/** How long the last GETs took. */
class RecentDurations {
  readonly #window: number[] = [];
  #next = 0;

  add(ms: number): void {
    this.#window[this.#next] = ms;
    this.#next = (this.#next + 1) % WINDOW;
  }

  /** The time that 19 of 20 GETs keep. */
  hedgeDelayMs(): number {
    if (this.#window.length < WINDOW_MIN) return UNKNOWN_DELAY_MS;
    const rising = this.#window.toSorted((a, b) => a - b);
    return Math.max(DELAY_MS_MIN, rising[Math.floor(rising.length * 0.95)] ?? 0);
  }
}
