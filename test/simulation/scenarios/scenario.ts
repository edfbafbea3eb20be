/** What a scenario is: who takes part, with how often each kind of work is done, and under what faults. */
import type { StreamSettings } from '../../../lib/core/log/settings.ts';
import type { Faults } from '../faults.ts';
import type { ScenarioName } from './scenario-names.ts';
import type { Stage } from './stage.ts';
import { writeNamed } from './write-named.ts';

export type Work = (stage: Stage) => Promise<void>;

export interface Cast {
  readonly work: Work;
  /** How many clients do it, and how often each at the most. */
  readonly clients: number;
  readonly rounds: number;
}

export interface Scenario {
  readonly name: ScenarioName;
  readonly streams: number;
  readonly cast: readonly Cast[];
  /** Instead of what the seed decides. */
  readonly faults?: Faults;
  readonly services?: number;
  /** Clients pause for less than this before each round; 2 s when absent. */
  readonly pauseMsEnd?: number;
  /** Of the streams that are there from the beginning; segments of a few messages when absent. */
  readonly settings?: (stage: Stage) => StreamSettings;
  /** Percent of the seeds in which all processes end at once, in the middle of everything. */
  readonly endsEarly?: number;
}

/** One publisher, or several that send together. */
export function named(together: number): Work {
  return async (stage) => {
    const names = Array.from({ length: together }, () => `p${stage.newNumber()}`);
    await writeNamed(stage, names);
  };
}
