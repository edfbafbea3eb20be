/** A map whose keys are walked in the order of their UTF-8 bytes, as table and bucket do. */
import { compareText } from './expressions/attribute-order.ts';

export interface TextOrderedMap<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
  /** In order, first to last. */
  entries(): readonly (readonly [key: string, value: Value])[];
}

export function createTextOrderedMap<Value>(): TextOrderedMap<Value> {
  const values = new Map<string, Value>();
  let sorted: readonly (readonly [key: string, value: Value])[] | undefined;

  return {
    get: (key) => values.get(key),
    set(key, value) {
      values.set(key, value);
      sorted = undefined;
    },
    delete(key) {
      if (values.delete(key)) sorted = undefined;
    },
    entries() {
      sorted ??= [...values].sort(([a], [b]) => compareText(a, b));
      return sorted;
    },
  };
}
