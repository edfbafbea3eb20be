/**
 * Reads of what never changes: the ones used last are kept, and all who ask for the same at the same time share
 * one. What failed or was not there is asked for anew.
 */
import { LRUCache } from 'lru-cache';

type Loading<Value> = Promise<Value | undefined>;

export class SharedReads<Value> {
  readonly #recent: LRUCache<string, { readonly loading: Loading<Value> }>;

  /** Together they are at most as large as this. */
  constructor(maxSize: number) {
    this.#recent = new LRUCache({ maxSize, maxEntrySize: maxSize });
  }

  known(key: string): Loading<Value> | undefined {
    return this.#recent.get(key)?.loading;
  }

  read(key: string, size: number, load: () => Loading<Value>): Loading<Value> {
    const known = this.known(key);
    if (known !== undefined) return known;
    const entry = { loading: load() };
    const forgetUnless = (value?: Value) => {
      if (value === undefined && this.#recent.peek(key) === entry) this.#recent.delete(key);
    };
    entry.loading.then(forgetUnless, () => forgetUnless());
    this.#recent.set(key, entry, { size });
    return entry.loading;
  }
}
