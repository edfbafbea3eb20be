/**
 * Bytes that are put one behind the other until they are complete. Held once: pieces that are joined in the end
 * would be there twice, and an object of a packed segment is an eighth of a function's memory.
 */
const FIRST_BYTES = 1024 * 1024;

export class GrowingBytes {
  readonly #expectedMax: number;
  #buffer = new Uint8Array(0);
  #length = 0;

  /** More than `expectedMax` are taken, too, but cost another copy. */
  constructor(expectedMax: number) {
    this.#expectedMax = expectedMax;
  }

  add(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#buffer.length) this.#grow(length);
    this.#buffer.set(bytes, this.#length);
    this.#length = length;
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Twice as large, and at once as large as is expected when that is less than twice as much again. */
  #grow(needed: number): void {
    const doubled = Math.max(needed, 2 * this.#buffer.length, FIRST_BYTES);
    const isNear = needed <= this.#expectedMax && 2 * doubled > this.#expectedMax;
    const larger = new Uint8Array(isNear ? this.#expectedMax : doubled);
    larger.set(this.bytes());
    this.#buffer = larger;
  }
}
