/** Up to which id objects may be collected, and commits are refused: all that were minted before a time. */
import { encodeUlid, type Ulid } from '../format/ulid.ts';

/** For comfort, not for safety: readers go by presigned URLs for so long after an object was dropped. */
export const GRACE_MS = 3_600_000;

/** The least id of that moment. */
export function horizonAt(timeMs: number): Ulid {
  return encodeUlid(Math.max(timeMs, 0), '0'.repeat(20));
}
