/**
 * Which destination of a consistent hash exchange a key belongs to (SPEC X1): each draws a number from the key,
 * and the smallest wins, drawn so that a weight of 3 wins three times as often as one of 1. A ring, without its
 * points: when a destination goes only its own keys move, when it comes back they return. No state, so it is the
 * same in every process and after a restart.
 */

export interface WeightedDestination {
  readonly id: string;
  /** The sum of the weights of its bindings. */
  readonly weight: number;
}

interface Entry<Value> {
  readonly id: string;
  readonly weight: number;
  readonly seed: HashPair;
  readonly value: Value;
}

interface HashPair {
  readonly high: number;
  readonly low: number;
}

export class ConsistentHash<Value> {
  readonly #entries: readonly Entry<Value>[];

  /** Ids are unique among those that are there. */
  constructor(destinations: readonly (WeightedDestination & { readonly value: Value })[]) {
    this.#entries = destinations.map(({ id, weight, value }) => {
      return { id, weight, value, seed: hashOf(id) };
    });
  }

  /** Undefined when there are no destinations; those that are not there take no part. */
  pick(key: string, isThere: (value: Value) => boolean = () => true): Value | undefined {
    const ofKey = hashOf(key);
    let best: Entry<Value> | undefined;
    let bestDraw = Number.POSITIVE_INFINITY;
    for (const entry of this.#entries) {
      const draw = -Math.log(uniform(ofKey, entry.seed)) / entry.weight;
      if (draw > bestDraw || (draw === bestDraw && best !== undefined && best.id < entry.id))
        continue;
      if (!isThere(entry.value)) continue;
      [best, bestDraw] = [entry, draw];
    }
    return best?.value;
  }
}

/** From (0, 1), by 53 bits of both. */
function uniform(key: HashPair, seed: HashPair): number {
  const high = mix(key.high ^ seed.high);
  const low = mix((key.low ^ seed.low) + high);
  return ((high >>> 0) * 2 ** 21 + (low >>> 11) + 0.5) / 2 ** 53;
}

/** Two FNV-1a hashes over UTF-16 units with different beginnings, mixed. */
function hashOf(text: string): HashPair {
  let [high, low] = [0x81_1c_9d_c5, 0x2a_65_17_4b];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x01_00_01_93);
    low = Math.imul(low ^ unit, 0x85_eb_ca_6b) ^ (low >>> 15);
  }
  return { high: mix(high), low: mix(low ^ text.length) };
}

/** The last step of MurmurHash3: every bit of it changes half of the result. */
function mix(bits: number): number {
  let mixed = bits ^ (bits >>> 16);
  mixed = Math.imul(mixed, 0x85_eb_ca_6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2_b2_ae_35);
  return mixed ^ (mixed >>> 16);
}
