/** A simulated process as the scheduler sees it. */
import type { Faults } from './faults.ts';

export interface Actor {
  readonly name: string;
  readonly faults: Faults;
  isCrashed: boolean;
  /** In simulated time; its own steps are not taken before. */
  stalledUntilMs: number;
}

export interface Step {
  readonly actor: Actor;
  readonly label: string;
  /** What is on the network outlives its sender, and goes on while that stands still. */
  readonly place: 'process' | 'network';
  /** In simulated time; not taken before. */
  readonly dueMs: number;
  readonly run: () => void;
}

/** The first moment at which the step can be taken. */
export function readyAtMs({ actor, place, dueMs }: Step): number {
  return place === 'process' ? Math.max(dueMs, actor.stalledUntilMs) : dueMs;
}
