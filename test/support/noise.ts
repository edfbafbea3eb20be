/** Bytes that do not shrink, the same on every run: a multiplicative sequence without any order to see. */

export function noise(length: number): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state & 0xff;
  });
}
