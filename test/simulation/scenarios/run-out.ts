/** Lets a stage play until nothing is under way any more, with every step watched. */
import { Violation } from '../oracle/violation.ts';
import type { Stage } from './stage.ts';

type Parts = Pick<Stage, 'world' | 'oracle'>;

/** Runs take a few thousand; only one that never comes to an end takes so many. */
const STEPS_MAX = 200_000;

/** So many steps at the most. */
export async function runFor({ world, oracle }: Parts, stepsMax: number): Promise<void> {
  await world.run({ stepsMax, check: () => oracle.check() });
}

export async function runOut({ world, oracle }: Parts): Promise<void> {
  const end = await world.run({ stepsMax: STEPS_MAX, check: () => oracle.check() });
  if (end.kind !== 'idle') throw new Violation('NO_END', `after ${world.trace.length} steps`);
}
