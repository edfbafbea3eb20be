/** Chance that is the same on every run: a multiplicative sequence with the seed as its start. */

/** Each call gives a number in [0, 1). */
export function seededRandom(seed: number): () => number {
  let state = (seed % 2_147_483_646) + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return (state - 1) / 2_147_483_646;
  };
}
