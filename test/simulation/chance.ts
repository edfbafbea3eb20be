/** Chance from a seed: the same seed and purpose give the same draws, other purposes do not disturb them. */
import { createHash } from 'node:crypto';

export interface Chance {
  /** A whole number in [0, end). */
  below(end: number): number;
  /** True in so many of a hundred cases; two decimals count. */
  percent(share: number): boolean;
  /** A time in ms: mostly short, now and then so long that everything else goes on without it. */
  delayMs(): number;
  hex128(): string;
}

const WORD = 2 ** 32;
const SHORT_MS = 50;
const SECONDS_MS = 5_000;
/** Longer than any grace time that a protocol could lean on. */
const LONG_MS = 2 * 3_600_000;

export function createChance(seed: number, purpose: string): Chance {
  const word = createWords(`${seed} ${purpose}`);
  const below = (end: number) => Math.floor((word() / WORD) * end);

  return {
    below,
    percent: (share) => below(10_000) < share * 100,
    delayMs() {
      const kind = below(10);
      if (kind < 5) return below(SHORT_MS);
      return kind < 8 ? below(SECONDS_MS) : below(LONG_MS);
    },
    hex128: () => Array.from({ length: 4 }, () => word().toString(16).padStart(8, '0')).join(''),
  };
}

/** Words of 32 bits: a hash in counter mode, so that no two purposes ever run in step. */
function createWords(key: string): () => number {
  let [block, used, count] = [Buffer.alloc(0), 0, 0];
  return () => {
    if (used === block.length) {
      block = createHash('sha256').update(`${key} ${count++}`).digest();
      used = 0;
    }
    used += 4;
    return block.readUInt32BE(used - 4);
  };
}
