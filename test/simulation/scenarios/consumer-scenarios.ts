/** Stored offsets: raised, set, forgotten and swept, on streams that are trimmed, deleted and created again. */
import { STORM } from '../faults.ts';
import { createStream, deleteStream, trim } from './change-streams.ts';
import {
  acknowledge,
  changeConsumerLimit,
  changeConsumerLimitSlowly,
  forget,
  lookUp,
  setOffset,
  someConsumerLimit,
} from './consume.ts';
import { maintain, sweep } from './maintain.ts';
import type { Scenario } from './scenario.ts';
import { writeUnnamed as unnamed } from './write-unnamed.ts';

export const CONSUMER_SCENARIOS: readonly Scenario[] = [
  {
    name: 'consuming',
    streams: 1,
    services: 4,
    settings: someConsumerLimit,
    endsEarly: 20,
    pauseMsEnd: 800,
    cast: [
      { work: unnamed, clients: 2, rounds: 6 },
      { work: acknowledge, clients: 4, rounds: 12 },
      { work: setOffset, clients: 2, rounds: 8 },
      { work: forget, clients: 1, rounds: 6 },
      { work: lookUp, clients: 1, rounds: 8 },
      { work: changeConsumerLimit, clients: 1, rounds: 3 },
      { work: maintain, clients: 2, rounds: 8 },
      { work: trim, clients: 1, rounds: 2 },
      { work: deleteStream, clients: 1, rounds: 1 },
      { work: createStream, clients: 1, rounds: 2 },
      { work: sweep, clients: 1, rounds: 2 },
    ],
  },
  {
    name: 'limiting',
    streams: 1,
    services: 5,
    // Whoever changes the limit stands still in the middle of it, and whoever counts knows an older one.
    faults: STORM,
    settings: someConsumerLimit,
    endsEarly: 30,
    pauseMsEnd: 2_000,
    cast: [
      { work: unnamed, clients: 1, rounds: 3 },
      { work: acknowledge, clients: 4, rounds: 14 },
      { work: setOffset, clients: 1, rounds: 6 },
      { work: forget, clients: 1, rounds: 4 },
      { work: changeConsumerLimitSlowly, clients: 1, rounds: 6 },
      { work: maintain, clients: 3, rounds: 10 },
    ],
  },
];
