/** Exchanges that many processes know, each in its own way, while what they lead to changes (PROTOCOL R13). */
import { createStream, deleteStream } from './change-streams.ts';
import { spill, sweep } from './maintain.ts';
import { bind, declareExchange, deleteExchange, publishThrough, unbind } from './route.ts';
import type { Scenario } from './scenario.ts';
import { writeRemembered } from './write-remembered.ts';
import { writeUnnamed as unnamed } from './write-unnamed.ts';

export const ROUTING_SCENARIOS: readonly Scenario[] = [
  {
    name: 'routing',
    streams: 2,
    services: 4,
    endsEarly: 15,
    pauseMsEnd: 400,
    cast: [
      { work: declareExchange, clients: 2, rounds: 10 },
      { work: bind, clients: 4, rounds: 14 },
      { work: unbind, clients: 2, rounds: 10 },
      { work: publishThrough, clients: 3, rounds: 14 },
      { work: deleteExchange, clients: 1, rounds: 6 },
      { work: deleteStream, clients: 1, rounds: 8 },
      { work: createStream, clients: 1, rounds: 12 },
      { work: sweep, clients: 1, rounds: 3 },
    ],
  },
  {
    name: 'remembering',
    streams: 2,
    services: 4,
    endsEarly: 15,
    pauseMsEnd: 1_500,
    cast: [
      { work: writeRemembered, clients: 5, rounds: 8 },
      { work: unnamed, clients: 1, rounds: 4 },
      { work: spill, clients: 1, rounds: 6 },
      { work: deleteStream, clients: 1, rounds: 1 },
      { work: createStream, clients: 1, rounds: 2 },
      { work: sweep, clients: 1, rounds: 2 },
    ],
  },
];
