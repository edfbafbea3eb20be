/** Ids of objects, above a stream's horizon: a commit under one at or below it would be refused. */
import {
  compareBytes,
  encodeUlid,
  ULID_BYTES,
  type Ulid,
  ulidOf,
  ulidTimeMs,
} from '../format/ulid.ts';
import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';

interface MintSource {
  readonly clock: Clock;
  readonly random: Random;
}

export function mintUlid({ clock, random }: MintSource, horizon?: Uint8Array): Ulid {
  const ulid = encodeUlid(clock.nowMs(), random.hex128());
  if (horizon === undefined || compareBytes(ulid, horizon) > 0) return ulid;

  // A horizon of full length is an id, perhaps of an instance whose clock is ahead of this one's.
  const beyondMs = horizon.length === ULID_BYTES ? ulidTimeMs(ulidOf(horizon)) + 1 : 0;
  return encodeUlid(Math.max(clock.nowMs(), beyondMs), random.hex128());
}
