/** Lets a stage play until nothing is under way any more, with every step watched. */
import { Violation } from '../oracle/violation.ts';
import type { Stage } from './stage.ts';

/** Runs take a few thousand; only one that never comes to an end takes so many. */
const STEPS_MAX = 200_000;

export async function runOut({ world, oracle }: Pick<Stage, 'world' | 'oracle'>): Promise<void> {
  const end = await world.run({ stepsMax: STEPS_MAX, check: () => oracle.check() });
  if (end.kind !== 'idle') throw new Violation('NO_END', `after ${world.trace.length} steps`);
}
