/** The operating system's randomness, fetched by the page: asking for 16 bytes at a time cost a tenth
 *  of a publish. */
import { randomFillSync } from 'node:crypto';
import type { Random } from '../ports/random.ts';

const POOL_BYTES = 4_096;
const ID_BYTES = 16;

export function createSystemRandom(): Random {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  return {
    hex128() {
      if (used === POOL_BYTES) {
        randomFillSync(pool);
        used = 0;
      }
      used += ID_BYTES;
      return pool.toString('hex', used - ID_BYTES, used);
    },
  };
}
