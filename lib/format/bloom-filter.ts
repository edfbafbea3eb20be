/**
 * A set of texts as a few bytes that say "not among them" for certain, and "perhaps" of the rest: never a
 * false negative, and about one false positive in a thousand, one in fifty when it is full. No bytes hold nothing.
 *
 * For an entry with the CRC-32 `h`: bits (h + i * step) mod 2^32 mod (8 * bytes) for i from 0 to 6 are set,
 * lowest bit of a byte first, where step is the halves of h * 0x9e3779b1 mod 2^32 swapped, and odd.
 */
import { crc32 } from 'node:zlib';

/**
 * Of two thousand blocks without a match one or two seem to hold it. With ten bits it was twenty, and a reader of
 * rare messages then fetched a fifth more than it had to.
 */
const BITS_PER_ENTRY = 16;
/** The best number for a filter that is nearly full: ln 2 times its bits per entry. */
const PROBES = 7;
const BYTES_MIN = 8;
/** Of a block whose index would otherwise outgrow what a ranged read of the end is worth. */
const BYTES_MAX = 8192;
/** At eight bits each. */
const ENTRIES_MAX = BYTES_MAX;

/** Collects entries, the same one any number of times; so many that they do not fit become "perhaps any". */
export class BloomBuilder {
  readonly #hashes = new Set<number>();
  #holdsAnything = false;

  add(entry: string | Uint8Array): void {
    if (this.#holdsAnything) return;
    this.#hashes.add(crc32(entry));
    this.#holdsAnything = this.#hashes.size > ENTRIES_MAX;
  }

  finish(): Uint8Array {
    if (this.#holdsAnything) return Uint8Array.of(0xff);
    if (this.#hashes.size === 0) return new Uint8Array(0);
    const bytes = Math.ceil((this.#hashes.size * BITS_PER_ENTRY) / 8);
    const bloom = new Uint8Array(Math.min(Math.max(bytes, BYTES_MIN), BYTES_MAX));
    for (const hash of this.#hashes) setBits(bloom, hash);
    return bloom;
  }
}

export function mayHold(bloom: Uint8Array, entry: string | Uint8Array): boolean {
  const hash = crc32(entry);
  const step = stepOf(hash);
  const bits = 8 * bloom.length;
  for (let probe = 0; probe < PROBES; probe++) {
    const bit = ((hash + probe * step) >>> 0) % bits;
    if (((bloom[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

function setBits(bloom: Uint8Array, hash: number): void {
  const step = stepOf(hash);
  const bits = 8 * bloom.length;
  for (let probe = 0; probe < PROBES; probe++) {
    const bit = ((hash + probe * step) >>> 0) % bits;
    bloom[bit >>> 3] = (bloom[bit >>> 3] ?? 0) | (1 << (bit & 7));
  }
}

/**
 * Of the hash, not a CRC with another start: that differs from the first by what only the length decides,
 * so that all entries of one length would step alike.
 */
function stepOf(hash: number): number {
  const product = Math.imul(hash, 0x9e3779b1);
  return ((product << 16) | (product >>> 16) | 1) >>> 0;
}
