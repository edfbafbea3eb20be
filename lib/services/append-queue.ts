/**
 * Group commit: appends that arrive while a commit runs are committed together by the next one. One commit
 * of a lane is under way at a time, so appends take effect in the order they came and the repeat of one in
 * flight is judged after it is durable (SPEC D6). A store that commits all streams in one go has one lane
 * for all, one that commits each by itself a lane for each.
 */
import type { CommitOutcome } from '../core/log/commit-batch.ts';
import type { Append, LogStore } from '../ports/log-store.ts';
import type { Waker } from '../ports/waker.ts';

/** A commit holds up those that come meanwhile, and its records are held twice while it runs. */
const COMMIT_APPENDS_MAX = 1_024;
const COMMIT_BYTES_MAX = 8 * 1024 * 1024;

export interface AppendQueue {
  /** Resolves when the append is decided and, if stored, durable. Rejects as the commit does. */
  submit(append: Append): Promise<CommitOutcome>;
}

interface Waiting {
  readonly append: Append;
  resolve(outcome: CommitOutcome): void;
  reject(error: unknown): void;
}

export interface AppendQueueOptions {
  readonly log: LogStore;
  readonly waker: Waker;
  /** Runs a function soon, after the requests that have arrived together were read. */
  defer(run: () => void): void;
  /** One for all streams unless said otherwise. */
  readonly lanes?: 'one' | 'stream';
}

export function createAppendQueue(options: AppendQueueOptions): AppendQueue {
  const lanes = new Map<string, Lane>();
  const isPerStream = options.lanes === 'stream';
  return {
    submit: (append) =>
      new Promise((resolve, reject) => {
        const key = isPerStream ? append.stream : '';
        const lane = lanes.get(key) ?? new Lane(options, () => lanes.delete(key));
        lanes.set(key, lane);
        lane.add({ append, resolve, reject });
      }),
  };
}

class Lane {
  readonly #options: AppendQueueOptions;
  readonly #idle: () => void;
  #waiting: Waiting[] = [];
  #isRunning = false;

  /** `idle` is called when nothing waits any more. */
  constructor(options: AppendQueueOptions, idle: () => void) {
    this.#options = options;
    this.#idle = idle;
  }

  add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    if (this.#isRunning) return;

    this.#isRunning = true;
    this.#options.defer(() => void this.#drain());
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const count = groupSize(this.#waiting);
      const group = this.#waiting.slice(0, count);
      this.#waiting = this.#waiting.slice(count);
      await commitGroup(group, this.#options);
    }
    this.#isRunning = false;
    this.#idle();
  }
}

/** How many of the waiting appends go into the next commit; at least one. */
function groupSize(waiting: readonly Waiting[]): number {
  let bytes = 0;
  const excess = waiting.findIndex(({ append }, index) => {
    bytes += append.batch.records.length;
    return index > 0 && (bytes > COMMIT_BYTES_MAX || index >= COMMIT_APPENDS_MAX);
  });
  return excess < 0 ? waiting.length : excess;
}

/** Never rejects: every append of the group learns of the failure by its own promise. */
async function commitGroup(
  group: readonly Waiting[],
  { log, waker }: { readonly log: LogStore; readonly waker: Waker },
): Promise<void> {
  try {
    const outcomes = await log.commit(group.map(({ append }) => append));
    group.forEach(({ resolve, reject }, index) => {
      const outcome = outcomes[index];
      if (outcome === undefined) reject(new Error(`a commit left append ${index} undecided`));
      else resolve(outcome);
    });
    for (const streamId of storedStreams(outcomes)) waker.wake(streamId);
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

function storedStreams(outcomes: readonly CommitOutcome[]) {
  const stored = outcomes.filter((outcome) => outcome.kind === 'stored');
  return new Set(stored.map(({ streamId }) => streamId));
}
