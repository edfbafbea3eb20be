/** Messages that are held, while streams come and go, and several release what is due at the same time. */

import { STORM } from '../faults.ts';
import { createStream, deleteStream } from './change-streams.ts';
import { cancelHeld, hold, holdNamed, holdOne, rebind, release, releaseSlowly } from './delay.ts';
import { evict, spill, sweep } from './maintain.ts';
import { named, type Scenario } from './scenario.ts';
import { writeUnnamed as unnamed } from './write-unnamed.ts';

export const DELAY_SCENARIOS: readonly Scenario[] = [
  {
    name: 'delaying',
    streams: 2,
    services: 4,
    endsEarly: 20,
    pauseMsEnd: 1_000,
    cast: [
      { work: hold, clients: 3, rounds: 6 },
      { work: holdNamed, clients: 2, rounds: 3 },
      { work: unnamed, clients: 1, rounds: 3 },
      { work: named(2), clients: 1, rounds: 2 },
      { work: release, clients: 3, rounds: 10 },
      { work: releaseSlowly, clients: 1, rounds: 4 },
      { work: cancelHeld, clients: 2, rounds: 6 },
      { work: rebind, clients: 1, rounds: 6 },
      { work: evict, clients: 1, rounds: 4 },
      { work: spill, clients: 1, rounds: 3 },
      { work: deleteStream, clients: 1, rounds: 1 },
      { work: createStream, clients: 1, rounds: 2 },
      { work: sweep, clients: 1, rounds: 2 },
    ],
  },
  {
    name: 'holding',
    streams: 1,
    services: 3,
    faults: { ...STORM, late: 8, lostAnswer: 8, lateTwin: 10 },
    pauseMsEnd: 1_500,
    cast: [
      { work: holdOne, clients: 3, rounds: 5 },
      { work: hold, clients: 1, rounds: 4 },
      { work: release, clients: 2, rounds: 8 },
      { work: cancelHeld, clients: 1, rounds: 3 },
    ],
  },
];
