/** Every fuzz target. */
import type { FuzzTarget } from './run-rounds.ts';
import { eventPieces } from './targets/event-pieces.ts';
import { filters } from './targets/filters.ts';
import { httpRequests } from './targets/http-requests.ts';
import { jsonTexts } from './targets/json-texts.ts';
import { publishBodies } from './targets/publish-bodies.ts';
import { storedChunks } from './targets/stored-chunks.ts';
import { storedSegments } from './targets/stored-segments.ts';
import { wireBatches } from './targets/wire-batches.ts';
import { writtenTexts } from './targets/written-texts.ts';

export const FUZZ_TARGETS: readonly FuzzTarget[] = [
  wireBatches,
  storedChunks,
  storedSegments,
  jsonTexts,
  publishBodies,
  writtenTexts,
  filters,
  eventPieces,
  httpRequests,
];
