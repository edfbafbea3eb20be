/** Who takes part in a scenario: each kind of work with how often it is done, in all. */
import { STORM } from '../faults.ts';
import {
  changeLimits,
  changeSettings,
  createStream,
  deleteStream,
  setToken,
  trim,
} from './change-streams.ts';
import { acknowledge, changeConsumerLimit } from './consume.ts';
import { CONSUMER_SCENARIOS } from './consumer-scenarios.ts';
import { DELAY_SCENARIOS } from './delay-scenarios.ts';
import {
  collect,
  evict,
  maintain,
  pack,
  packAnyway,
  remove,
  removeIndex,
  retain,
  seal,
  spill,
  sweep,
} from './maintain.ts';
import { readPages } from './read-pages.ts';
import { ROUTING_SCENARIOS } from './routing-scenarios.ts';
import { named, type Scenario } from './scenario.ts';
import { SEGMENT_SCENARIOS } from './segment-scenarios.ts';
import { writeRivals } from './write-rivals.ts';
import { writeUnnamed as unnamed } from './write-unnamed.ts';
import { changeCache, someCache, writeValues } from './write-values.ts';

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'publishing',
    streams: 1,
    cast: [
      { work: unnamed, clients: 3, rounds: 5 },
      { work: named(1), clients: 1, rounds: 1 },
      { work: spill, clients: 2, rounds: 4 },
      { work: seal, clients: 1, rounds: 3 },
      { work: trim, clients: 1, rounds: 3 },
      { work: remove, clients: 1, rounds: 4 },
      { work: collect, clients: 1, rounds: 3 },
      { work: setToken, clients: 1, rounds: 2 },
    ],
  },
  {
    name: 'recovery',
    streams: 1,
    // While one service finds out the outcome of a commit, the others change where it may be.
    services: 5,
    faults: { ...STORM, unavailable: 1, lostRequest: 1, lostAnswer: 8, late: 8, stall: 4 },
    pauseMsEnd: 300,
    cast: [
      { work: unnamed, clients: 2, rounds: 8 },
      { work: spill, clients: 1, rounds: 20 },
      { work: seal, clients: 1, rounds: 20 },
      { work: trim, clients: 1, rounds: 20 },
      { work: remove, clients: 1, rounds: 20 },
    ],
  },
  {
    name: 'fencing',
    streams: 1,
    services: 4,
    faults: { ...STORM, late: 12, lateTwin: 10, stall: 3 },
    pauseMsEnd: 500,
    cast: [
      { work: named(1), clients: 4, rounds: 1 },
      { work: unnamed, clients: 1, rounds: 4 },
      { work: setToken, clients: 2, rounds: 15 },
      { work: writeRivals, clients: 2, rounds: 2 },
    ],
  },
  {
    name: 'sealing',
    streams: 1,
    cast: [
      { work: unnamed, clients: 2, rounds: 6 },
      { work: spill, clients: 3, rounds: 5 },
      { work: seal, clients: 2, rounds: 5 },
      { work: trim, clients: 1, rounds: 2 },
      { work: remove, clients: 1, rounds: 4 },
    ],
  },
  {
    name: 'retention',
    streams: 1,
    cast: [
      { work: unnamed, clients: 2, rounds: 5 },
      { work: spill, clients: 1, rounds: 5 },
      { work: seal, clients: 1, rounds: 4 },
      { work: trim, clients: 2, rounds: 4 },
      { work: remove, clients: 2, rounds: 4 },
      { work: collect, clients: 2, rounds: 3 },
      { work: maintain, clients: 1, rounds: 2 },
      { work: readPages, clients: 3, rounds: 3 },
    ],
  },
  {
    name: 'reading',
    streams: 1,
    // While one service reads, the others drop and collect what it is at.
    services: 5,
    faults: { ...STORM, unavailable: 1, lostRequest: 1, lostAnswer: 1, late: 1, stall: 5 },
    pauseMsEnd: 300,
    cast: [
      { work: unnamed, clients: 2, rounds: 8 },
      { work: spill, clients: 1, rounds: 15 },
      { work: seal, clients: 1, rounds: 15 },
      { work: trim, clients: 1, rounds: 15 },
      { work: remove, clients: 1, rounds: 15 },
      { work: collect, clients: 1, rounds: 15 },
      { work: readPages, clients: 4, rounds: 6 },
    ],
  },
  {
    name: 'publishers',
    streams: 1,
    cast: [
      { work: named(1), clients: 3, rounds: 1 },
      { work: named(3), clients: 2, rounds: 1 },
      { work: evict, clients: 2, rounds: 5 },
      { work: spill, clients: 1, rounds: 2 },
      { work: setToken, clients: 1, rounds: 2 },
    ],
  },
  {
    name: 'evicting',
    streams: 1,
    services: 5,
    faults: { ...STORM, late: 5, stall: 4 },
    pauseMsEnd: 300,
    cast: [
      { work: named(3), clients: 3, rounds: 1 },
      { work: evict, clients: 2, rounds: 12 },
    ],
  },
  {
    name: 'incarnations',
    streams: 1,
    cast: [
      { work: unnamed, clients: 2, rounds: 6 },
      { work: named(1), clients: 1, rounds: 2 },
      { work: deleteStream, clients: 2, rounds: 3 },
      { work: createStream, clients: 2, rounds: 3 },
      { work: changeSettings, clients: 2, rounds: 4 },
      { work: spill, clients: 1, rounds: 4 },
      { work: sweep, clients: 1, rounds: 3 },
      { work: readPages, clients: 1, rounds: 3 },
    ],
  },
  ...SEGMENT_SCENARIOS,
  ...CONSUMER_SCENARIOS,
  ...ROUTING_SCENARIOS,
  {
    name: 'deduplicating',
    streams: 1,
    services: 4,
    settings: someCache,
    pauseMsEnd: 500,
    cast: [
      { work: writeValues, clients: 4, rounds: 10 },
      { work: unnamed, clients: 1, rounds: 4 },
      { work: changeCache, clients: 1, rounds: 3 },
      { work: spill, clients: 1, rounds: 6 },
      { work: trim, clients: 1, rounds: 4 },
      { work: remove, clients: 1, rounds: 4 },
      { work: deleteStream, clients: 1, rounds: 1 },
      { work: sweep, clients: 1, rounds: 2 },
    ],
  },
  ...DELAY_SCENARIOS,
  {
    name: 'everything',
    streams: 2,
    endsEarly: 20,
    cast: [
      { work: unnamed, clients: 3, rounds: 5 },
      { work: named(1), clients: 2, rounds: 2 },
      { work: named(3), clients: 1, rounds: 2 },
      { work: readPages, clients: 2, rounds: 3 },
      { work: spill, clients: 1, rounds: 3 },
      { work: seal, clients: 1, rounds: 3 },
      { work: evict, clients: 1, rounds: 3 },
      { work: trim, clients: 1, rounds: 3 },
      { work: remove, clients: 1, rounds: 3 },
      { work: collect, clients: 1, rounds: 3 },
      { work: pack, clients: 1, rounds: 3 },
      { work: packAnyway, clients: 1, rounds: 3 },
      { work: removeIndex, clients: 1, rounds: 3 },
      { work: retain, clients: 1, rounds: 2 },
      { work: changeSettings, clients: 1, rounds: 2 },
      { work: changeLimits, clients: 1, rounds: 2 },
      { work: setToken, clients: 1, rounds: 2 },
      { work: deleteStream, clients: 1, rounds: 2 },
      { work: createStream, clients: 1, rounds: 2 },
      { work: sweep, clients: 1, rounds: 2 },
      { work: maintain, clients: 1, rounds: 3 },
      { work: acknowledge, clients: 1, rounds: 3 },
      { work: changeConsumerLimit, clients: 1, rounds: 1 },
    ],
  },
];
