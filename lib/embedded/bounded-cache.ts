/**
 * A map that forgets what was not used for longest when it grows beyond its limit: so many entries, or what
 * these weigh together.
 */

export class BoundedCache<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #max: number;
  readonly #weigh: (value: Value) => number;
  #weight = 0;

  /** An entry that weighs more than `max` alone is forgotten at once. */
  constructor(max: number, weigh: (value: Value) => number = () => 1) {
    this.#max = max;
    this.#weigh = weigh;
  }

  /** A map keeps the order in which keys were set, so the first is the one unused for longest. */
  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#weight += this.#weigh(value);
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#max) return;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#weight -= this.#weigh(value);
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }
}
