/** The bucket in memory, as the real one behaves. Counts calls. Knows nothing of failures. */
import type { ObjectPage, Objects } from '../../lib/aws/objects.ts';
import { createTextOrderedMap } from './text-order.ts';

const NAMES_MAX = 1000;

export interface ObjectCalls {
  readonly put: number;
  /** Whole objects and ranges. */
  readonly get: number;
  readonly list: number;
  /** One for up to a thousand names. */
  readonly delete: number;
}

export interface ListQuery {
  readonly prefix: string;
  readonly page?: string;
  /** Fewer names a page than the thousand that the real one gives. */
  readonly namesMax?: number;
}

/** Undefined: there is no such object. */
export interface ObjectChange {
  readonly name: string;
  readonly bytes: Uint8Array | undefined;
}

export interface MemoryObjects extends Objects {
  list(query: ListQuery): Promise<ObjectPage>;
  readonly calls: ObjectCalls;
  /** All that are stored, in the order of their names. */
  names(): readonly string[];
  /** Tells of every change from now on, when it takes effect. */
  watch(tell: (change: ObjectChange) => void): void;
}

export function createMemoryObjects(): MemoryObjects {
  const objects = createTextOrderedMap<Uint8Array>();
  const calls = { put: 0, get: 0, list: 0, delete: 0 };
  const watchers: ((change: ObjectChange) => void)[] = [];
  const change = (name: string, bytes: Uint8Array | undefined) => {
    for (const tell of watchers) tell({ name, bytes });
    if (bytes === undefined) objects.delete(name);
    else objects.set(name, bytes);
  };
  const copyOf = (name: string) => {
    calls.get++;
    const bytes = objects.get(name);
    return bytes && new Uint8Array(bytes);
  };

  return {
    calls,
    watch: (tell) => watchers.push(tell),
    names: () => objects.entries().map(([name]) => name),

    async put(name, bytes) {
      calls.put++;
      const present = objects.get(name);
      if (present === undefined) change(name, new Uint8Array(bytes));
      else if (Buffer.compare(present, bytes) !== 0) throw new NameTakenTwice(name);
    },

    get: async (name) => copyOf(name),

    async getRange(name, { start, end }) {
      const bytes = copyOf(name);
      if (bytes === undefined) return undefined;
      if (start >= 0 && start < end && end <= bytes.length) return bytes.slice(start, end);
      throw new RangeError(`range [${start}, ${end}) of ${name}, which has ${bytes.length} bytes`);
    },

    async list({ prefix, page, namesMax = NAMES_MAX }) {
      calls.list++;
      const names = objects.entries().map(([name]) => name);
      // A page is named by the last name before it, and names are in order.
      const start = page === undefined ? 0 : names.findIndex((name) => isBehind(name, page));
      const rest = start < 0 ? [] : names.slice(start).filter((name) => name.startsWith(prefix));
      const shown = rest.slice(0, namesMax);
      const last = shown.at(-1);
      return {
        names: shown,
        ...(last !== undefined && shown.length < rest.length && { next: last }),
      };
    },

    async deleteMany(names) {
      calls.delete += Math.ceil(names.length / NAMES_MAX);
      for (const name of names) change(name, undefined);
    },

    presignedUrl: async (name, expiresSeconds) =>
      `https://objects.invalid/${encodeURIComponent(name)}?expires=${expiresSeconds}`,
  };
}

function isBehind(name: string, page: string): boolean {
  return Buffer.compare(Buffer.from(name), Buffer.from(page)) > 0;
}

/** Names are unique by design: other bytes under one that is taken are an error of the program. */
class NameTakenTwice extends Error {
  override readonly name = 'NameTakenTwice';

  constructor(name: string) {
    super(`an object with other bytes is there already: ${name}`);
  }
}
