/**
 * Runs rounds of a fuzz target, each from a seed of its own, so that one that failed can be run alone
 * and is the same again.
 */
import { Chance } from './chance.ts';

/** One round: makes an input by chance, and throws when something comes of it that must not. */
export type Round = (chance: Chance) => void | Promise<void>;

export interface FuzzTarget {
  readonly name: string;
  /** What CI runs, in a second or two. */
  readonly ciRounds: number;
  /** Called before the first round and disposed of behind the last one. */
  start(): Promise<{ readonly round: Round } & AsyncDisposable>;
}

export interface Rounds {
  /** Seed of the first one; each later one has the next. */
  readonly from: number;
  readonly count: number;
  /** Called before each round. */
  readonly onRound?: (seed: number) => void;
}

/** Far above the longest round on a busy machine: an input of a few KiB that takes this long is a way to stop a server. */
const ROUND_MS_MAX = 5_000;

/** A target that needs nothing to be started. */
export function plainTarget(name: string, ciRounds: number, round: Round): FuzzTarget {
  const started = { round, [Symbol.asyncDispose]: async () => undefined };
  return { name, ciRounds, start: async () => started };
}

export async function runRounds(target: FuzzTarget, { from, count, onRound }: Rounds) {
  await using started = await target.start();
  for (let seed = from; seed < from + count; seed++) {
    onRound?.(seed);
    const startMs = performance.now();
    try {
      await started.round(new Chance(seed));
      const elapsedMs = performance.now() - startMs;
      if (elapsedMs > ROUND_MS_MAX) throw new Error(`the round took ${Math.round(elapsedMs)} ms`);
    } catch (cause) {
      throw new Error(failure(target.name, seed, cause), { cause });
    }
  }
}

function failure(name: string, seed: number, cause: unknown): string {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return `target ${name} failed at seed ${seed}: ${reason}
run it again: npm run fuzz -- --target ${name} --from ${seed} --rounds 1`;
}
