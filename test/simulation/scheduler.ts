/**
 * Decides what happens next: picks one of the steps that are ready, lets it run, waits until all promises
 * that it settled have had their turn, and picks again. Time passes as it decides. Each step is one line
 * of the trace, and the same seed gives the same trace.
 */
import { type Actor, readyAtMs, type Step } from './actor.ts';
import type { Chance } from './chance.ts';

const STEP_MS_END = 4;
/** Percent of steps before which time goes on to where the next step waits, although others are ready. */
const LEAP = 3;

export interface RunOptions {
  readonly stepsMax: number;
  /** Looked at after each step; throws when the world is not as it must be. */
  readonly check?: () => void;
  /** Ends the run once it is true. */
  readonly until?: () => boolean;
}

export type RunEnd =
  /** Nothing is left to do. */
  { readonly kind: 'idle' } | { readonly kind: 'reached' } | { readonly kind: 'cut' };

export interface Scheduler {
  readonly trace: readonly string[];
  nowMs(): number;
  /** Returns how to take it back. */
  post(step: Step): () => void;
  /** What the process would still have done is dropped, what it has sent is not. */
  crash(actor: Actor): void;
  stall(actor: Actor, ms: number): void;
  /** Adds to the line of the step that is running. */
  note(text: string): void;
  /** Ends the run with this error: the program, not the world, has gone wrong. */
  fail(error: unknown): void;
  run(options: RunOptions): Promise<RunEnd>;
}

interface State {
  nowMs: number;
  steps: number;
  pending: Step[];
  notes: string[];
  failure: { readonly error: unknown } | undefined;
}

export function createScheduler(chance: Chance): Scheduler {
  const trace: string[] = [];
  const state: State = { nowMs: 0, steps: 0, pending: [], notes: [], failure: undefined };

  const crash = (actor: Actor) => {
    actor.isCrashed = true;
    state.pending = state.pending.filter(
      (step) => step.actor !== actor || step.place === 'network',
    );
  };
  const stall = (actor: Actor, ms: number) => {
    actor.stalledUntilMs = Math.max(actor.stalledUntilMs, state.nowMs + ms);
  };
  const fail = (error: unknown) => {
    state.failure ??= { error };
  };

  /** Misfortune comes instead of the step that was picked, which may come later. */
  function misfortune({ actor }: Step): string | undefined {
    if (actor.isCrashed) return undefined;
    if (chance.percent(actor.faults.crash)) {
      crash(actor);
      return 'crashes';
    }
    if (!chance.percent(actor.faults.stall)) return undefined;
    const ms = chance.delayMs();
    stall(actor, ms);
    return `stands still for ${ms} ms`;
  }

  function take(step: Step): string {
    const happened = misfortune(step);
    if (happened !== undefined) return happened;
    state.pending.splice(state.pending.indexOf(step), 1);
    try {
      step.run();
    } catch (error) {
      fail(error);
    }
    return step.label;
  }

  async function advance(step: Step): Promise<void> {
    state.notes = [];
    const what = take(step);
    await settled();
    const line = [state.steps++, state.nowMs, step.actor.name, what, ...state.notes];
    trace.push(line.join(' '));
  }

  return {
    trace,
    nowMs: () => state.nowMs,
    post(step) {
      if (step.place === 'network' || !step.actor.isCrashed) state.pending.push(step);
      return () => {
        state.pending = state.pending.filter((other) => other !== step);
      };
    },
    crash,
    stall,
    note: (text) => state.notes.push(text),
    fail,
    async run({ stepsMax, check, until }) {
      for (let count = 0; count < stepsMax; count++) {
        throwFailure(state);
        if (until?.() === true) return { kind: 'reached' };
        const step = pick(state, chance);
        if (step === undefined) return { kind: 'idle' };
        await advance(step);
        throwFailure(state);
        check?.();
      }
      return { kind: until?.() === true ? 'reached' : 'cut' };
    },
  };
}

function pick(state: State, chance: Chance): Step | undefined {
  if (state.pending.length === 0) return undefined;
  state.nowMs += chance.below(STEP_MS_END);
  const waiting = state.pending.map(readyAtMs).filter((ms) => ms > state.nowMs);
  const isIdle = waiting.length === state.pending.length;
  const leaps = chance.percent(LEAP) && waiting.length > 0;
  if (isIdle || leaps) state.nowMs = waiting.reduce(earlier);
  const ready = state.pending.filter((step) => readyAtMs(step) <= state.nowMs);
  return ready[chance.below(ready.length)];
}

function earlier(a: number, b: number): number {
  return Math.min(a, b);
}

function throwFailure({ failure, steps }: State): void {
  if (failure === undefined) return;
  throw new Error(`the simulated program failed at step ${steps}: ${failure.error}`, {
    cause: failure.error,
  });
}

/** Promises take their turns before the event loop goes on, however many hang on each other. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
