/**
 * Loads streams, and remembers how each was when it was seen last: after a read, or after a commit, whose
 * answer shows the tail as it left it. What is remembered is true of a moment; whoever decides by it makes
 * its write conditional, or loads afresh.
 */

import { LRUCache } from 'lru-cache';
import { assert } from '../core/assert.ts';
import { type StreamId, type StreamName, streamId } from '../core/log/ids.ts';
import { StoreError } from '../ports/store-error.ts';
import { bytesOf, textOf } from './attribute.ts';
import type { KnownStream } from './known-stream.ts';
import { type EpochParts, raiseEpoch } from './raise-epoch.ts';
import { decodeSettings, type StoredSettings } from './settings-item.ts';
import type { Item } from './table.ts';
import { controlKey, settingsKey, tailKey } from './table-key.ts';
import { decodeTail, type Tail } from './tail-item.ts';

/** A tail takes about 4 KiB in memory: 40 MiB for as many as one process can well serve. */
const STREAMS_KNOWN_MAX = 10_000;
/** Each is one change of settings, or one deletion, that came between two reads. */
const LOADS_MAX = 8;

/** A read of a tail, and the one that comes after it if somebody waits for that. */
interface Load {
  readonly running: Promise<KnownStream | undefined>;
  next?: Promise<KnownStream | undefined>;
}

export class StreamLoader {
  readonly #parts: EpochParts;
  readonly #known = new LRUCache<StreamName, KnownStream>({ max: STREAMS_KNOWN_MAX });
  readonly #loads = new Map<StreamName, Load>();
  readonly #names = new LRUCache<StreamId, StreamName>({ max: STREAMS_KNOWN_MAX });

  constructor(parts: EpochParts) {
    this.#parts = parts;
  }

  /** As it was when it was seen last, if it was. */
  known(name: StreamName): KnownStream | undefined {
    return this.#known.get(name);
  }

  /**
   * As it is now: one strongly consistent read, and one more for settings that are not known yet. All who ask
   * while one is under way share the next, since that one may have begun before what they have to see.
   */
  load(name: StreamName): Promise<KnownStream | undefined> {
    const load = this.#loads.get(name);
    if (load === undefined) return this.#begin(name);
    const begin = () => this.#begin(name);
    load.next ??= load.running.then(begin, begin);
    return load.next;
  }

  #begin(name: StreamName): Promise<KnownStream | undefined> {
    const load: Load = { running: this.#read(name) };
    this.#loads.set(name, load);
    const end = () => {
      if (load.next === undefined) this.#loads.delete(name);
    };
    load.running.then(end, end);
    return load.running;
  }

  async #read(name: StreamName): Promise<KnownStream | undefined> {
    const read = async () => await this.adopt(name, await this.#parts.table.get(tailKey(name)));
    const stream = await read();
    const known = this.#known.get(name);
    // Overtaken by an answer that shows more: a poll may have told of it already, and would not again.
    const isOvertaken = stream && known && isNewer(known.tail, stream.tail);
    return isOvertaken ? await read() : stream;
  }

  /** Remembers a tail that some answer showed, with the settings of its epoch. */
  async adopt(name: StreamName, item: Item | undefined): Promise<KnownStream | undefined> {
    let current = item;
    for (let tries = 0; tries < LOADS_MAX; tries++) {
      if (current === undefined) {
        this.#known.delete(name);
        return undefined;
      }
      const tail = decodeTail(current);
      const settings = await this.#settingsOf(name, tail);
      if (settings?.revision === tail.epoch) {
        return this.#remember({ name, tail, settings: settings.settings });
      }
      current =
        settings === undefined
          ? await this.#parts.table.get(tailKey(name))
          : await this.#raiseEpoch(name, tail, settings.revision);
    }
    throw unsettled();
  }

  /** After a commit: its condition held the epoch, so the settings are those it was planned with. */
  committed({ name, settings }: KnownStream, item: Item): KnownStream {
    return this.#remember({ name, tail: decodeTail(item), settings });
  }

  forget(name: StreamName): void {
    this.#known.delete(name);
  }

  /** The stream of this id as it is now, if it is still the one of its name. */
  async loadById(id: StreamId): Promise<KnownStream | undefined> {
    const name = await this.#nameOf(id);
    const stream = name && (await this.load(name));
    return stream?.tail.streamId === id ? stream : undefined;
  }

  /** What differs when a reader would see something else; undefined when it is not known, or gone. */
  knownVersion(id: StreamId): string | undefined {
    const name = this.#names.get(id);
    return versionOf(id, name && this.known(name));
  }

  async currentVersion(id: StreamId): Promise<string | undefined> {
    return versionOf(id, await this.loadById(id));
  }

  /** As it was seen last, if messages up to `next` had been published by then; else as it is now. */
  async covering(id: StreamId, next: number): Promise<KnownStream | undefined> {
    const stream = await this.knownById(id);
    return stream !== undefined && stream.tail.next >= next ? stream : await this.loadById(id);
  }

  /** As {@link known}, or else as {@link loadById}. */
  async knownById(id: StreamId): Promise<KnownStream | undefined> {
    const name = this.#names.get(id);
    const stream = name && this.known(name);
    return stream?.tail.streamId === id ? stream : await this.loadById(id);
  }

  #remember(stream: KnownStream): KnownStream {
    const { name, tail } = stream;
    const before = this.#known.get(name);
    this.#names.set(tail.streamId, name);
    // Answers arrive in any order: what is known never goes back behind what was seen already.
    if (before === undefined || !isNewer(before.tail, tail)) this.#known.set(name, stream);
    return stream;
  }

  async #settingsOf(name: StreamName, tail: Tail): Promise<StoredSettings | undefined> {
    const before = this.#known.get(name);
    if (before?.tail.streamId === tail.streamId && before.tail.epoch === tail.epoch) {
      return { revision: tail.epoch, settings: before.settings };
    }
    const item = await this.#parts.table.get(settingsKey(tail.streamId));
    return item && decodeSettings(item);
  }

  /** To the revision of settings that were just written, or above. False when the stream is gone. */
  async raiseEpoch(from: KnownStream, revision: number): Promise<boolean> {
    let stream: KnownStream | undefined = from;
    for (let tries = 0; tries < LOADS_MAX; tries++) {
      if (stream?.tail.streamId !== from.tail.streamId) return false;
      if (stream.tail.epoch >= revision) return true;
      const { name, tail } = stream;
      stream = await this.adopt(name, await this.#raiseEpoch(name, tail, revision));
    }
    throw unsettled();
  }

  /** Whoever changed them ended before the tail knew: nobody may be blocked by that (PROTOCOL R11). */
  async #raiseEpoch(name: StreamName, tail: Tail, revision: number): Promise<Item | undefined> {
    assert(revision > tail.epoch, () => `settings ${revision} behind epoch ${tail.epoch}`);
    return (await raiseEpoch(this.#parts, { name, tail, revision })).item;
  }

  async #nameOf(id: StreamId): Promise<StreamName | undefined> {
    const known = this.#names.get(id);
    if (known !== undefined) return known;

    const control = await this.#parts.table.get(controlKey(id));
    if (control === undefined) return undefined;
    const name = textOf(control, 'm') as StreamName;
    this.#names.set(id, name);
    return name;
  }
}

function unsettled(): StoreError {
  return new StoreError(`the settings of a stream changed ${LOADS_MAX} times while it was loaded`, {
    kind: 'unavailable',
    sideEffects: 'none',
  });
}

function versionOf(id: StreamId, stream: KnownStream | undefined): string | undefined {
  if (stream?.tail.streamId !== id) return undefined;
  const { first, next, epoch } = stream.tail;
  return `${first} ${next} ${epoch}`;
}

/** Of one incarnation: `next`, `first`, `base` and `epoch` only rise. */
function isNewer(a: Tail, b: Tail): boolean {
  if (a.streamId !== b.streamId) return false;
  return a.next > b.next || a.first > b.first || a.epoch > b.epoch || a.base > b.base;
}

export function streamIdOf(item: Item): StreamId {
  return streamId(Buffer.from(bytesOf(item, 'i')).toString('hex'));
}
