/** Chance that is the same for the same seed (mulberry32): what one round of a fuzz test draws from. */

export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer in [0, end). */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  /** At most `max` of what `make` makes. */
  some<Item>(max: number, make: () => Item): Item[] {
    return Array.from({ length: this.below(max + 1) }, make);
  }

  bytes(max: number): Uint8Array {
    return Uint8Array.from(this.some(max, () => this.below(256)));
  }

  /** Small ones, and those around the places where encodings change. */
  integer(): number {
    const near = this.pick([0, 0x80, 0x4000, 2 ** 31, 2 ** 32, 2 ** 52]);
    return this.oneIn(3) ? near + this.below(3) : this.below(300);
  }

  /** Of pieces and of characters from all over Unicode, half surrogate pairs among them. */
  text(max: number, pieces: readonly string[] = []): string {
    return this.some(max, () => {
      if (pieces.length > 0 && !this.oneIn(4)) return this.pick(pieces);
      const end = this.pick([0x20, 0x80, 0x80, 0x80, 0x100, 0x800, 0x1_0000, 0x11_0000]);
      return String.fromCodePoint(this.below(end));
    }).join('');
  }
}
