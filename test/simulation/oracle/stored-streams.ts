/**
 * All that is stored, kept up to date from the changes of table and bucket, by incarnation. Tells what a
 * step changed: which tails, and which incarnations are to be looked at.
 */
import { mapOf, numberOf } from '../../../lib/aws/attribute.ts';
import { decodeSegment } from '../../../lib/aws/segment-item.ts';
import { decodeSettings } from '../../../lib/aws/settings-item.ts';
import { decodeIndexItem } from '../../../lib/aws/stream-index.ts';
import { streamIdOf } from '../../../lib/aws/stream-loader.ts';
import type { Item } from '../../../lib/aws/table.ts';
import { GRAVES, REGISTRY } from '../../../lib/aws/table-key.ts';
import { decodePublishers, decodeTail, type Tail } from '../../../lib/aws/tail-item.ts';
import { type StreamId, type StreamName, streamId } from '../../../lib/core/log/ids.ts';
import { parseChunkObjectName, parseSegmentObjectName } from '../../../lib/format/object-key.ts';
import { formatUlid } from '../../../lib/format/ulid.ts';
import { streamName } from '../../support/batches.ts';
import type { ObjectChange } from '../memory-objects.ts';
import type { ItemChange } from '../stored-items.ts';
import { parseDueKey } from './due-work.ts';
import { Incarnation } from './incarnation.ts';
import { demand, Violation } from './violation.ts';

export interface TailChange {
  readonly name: StreamName;
  readonly before: Tail | undefined;
  readonly after: Tail | undefined;
}

const TAIL = 'T=';

type Apply = (incarnation: Incarnation, sortKey: string, item: Item | undefined) => void;

/** By the first letter of the partition; behind it stands the id. */
const KINDS: { readonly [letter: string]: Apply } = {
  C(incarnation, _, item) {
    const [before = 0, after] = [incarnation.sealedEnd, item && numberOf(item, 'se')];
    const isBack = after !== undefined && after < before;
    demand(!isBack, 'WENT_BACK', () => `end of what is sealed from ${before} to ${after}`);
    incarnation.sealedEnd = after;
    incarnation.packedEnd = item?.['pe'] === undefined ? 0 : numberOf(item, 'pe');
    incarnation.sealedBytes = item === undefined ? 0 : numberOf(item, 'sy');
  },
  S(incarnation, _, item) {
    const stored = item && decodeSettings(item);
    incarnation.revision = stored?.revision;
    if (stored !== undefined) incarnation.settings.set(stored.revision, stored.settings);
  },
  I({ index, removedItems }, sortKey, item) {
    setOrDelete(index, sortKey, item && decodeIndexItem(item));
    if (item === undefined) removedItems.add(Number(sortKey));
  },
  G: ({ segments }, sortKey, item) => setOrDelete(segments, sortKey, item && decodeSegment(item)),
  V(incarnation, _, item) {
    incarnation.side = item && {
      version: numberOf(item, 'v'),
      entries: decodePublishers(mapOf(item, 'p')),
    };
  },
  N: ({ names }, sortKey, item) => addOrDelete(names, sortKey, item),
  Y: ({ values }, sortKey, item) => addOrDelete(values, sortKey, item),
  O: ({ consumers }, sortKey, item) => consumers.apply(sortKey, item),
};

function addOrDelete(keys: Set<string>, sortKey: string, item: Item | undefined): void {
  if (item === undefined) keys.delete(sortKey);
  else keys.add(sortKey);
}

function setOrDelete<Value>(
  map: Map<number, Value>,
  sortKey: string,
  value: Value | undefined,
): void {
  if (value === undefined) map.delete(Number(sortKey));
  else map.set(Number(sortKey), value);
}

export class StoredStreams {
  readonly incarnations = new Map<StreamId, Incarnation>();
  readonly #live = new Map<StreamName, Incarnation>();
  readonly #registered = new Map<StreamName, Incarnation>();
  #tails: TailChange[] = [];
  #touched = new Set<Incarnation>();

  /** The one that has this name now. */
  live(name: StreamName): Incarnation | undefined {
    return this.#live.get(name);
  }

  incarnation(id: StreamId): Incarnation {
    const known = this.incarnations.get(id);
    if (known !== undefined) return known;
    const created = new Incarnation(id);
    this.incarnations.set(id, created);
    return created;
  }

  /** What changed since the last call. */
  takeChanges(): { readonly tails: readonly TailChange[]; readonly touched: Set<Incarnation> } {
    const changes = { tails: this.#tails, touched: this.#touched };
    this.#tails = [];
    this.#touched = new Set();
    return changes;
  }

  applyItem({ key: { k, s }, before, after }: ItemChange): void {
    if (k.startsWith(TAIL)) this.#applyTail(streamName(k.slice(TAIL.length)), before, after);
    else if (k === REGISTRY) this.#applyRegistry(streamName(s), after);
    else if (k === GRAVES) this.#touch(streamId(s)).hasGrave = after !== undefined;
    else this.#applyOther(k, s, after);
  }

  applyObject({ name, bytes }: ObjectChange): void {
    const key = parseChunkObjectName(name);
    if (key === undefined) {
      this.#applyPiece(name, bytes);
      return;
    }
    const { objects } = this.#touch(key.streamId);
    if (bytes === undefined) objects.delete(formatUlid(key.ulid));
    else objects.set(formatUlid(key.ulid), bytes);
  }

  #applyPiece(name: string, bytes: Uint8Array | undefined): void {
    const [, target, held] = /^[0-9a-f]{2}\/([0-9a-f]{32})\/h\/([0-9A-Z]{26})$/.exec(name) ?? [];
    if (target !== undefined && held !== undefined) {
      const { heldObjects } = this.#touch(streamId(target));
      if (bytes === undefined) heldObjects.delete(held);
      else heldObjects.add(held);
      return;
    }
    const key = parseSegmentObjectName(name);
    if (key === undefined) throw new Violation('WRONG_NAME', `an object nobody knows: ${name}`);
    const { first, end, ulid, streamId: id } = key;
    const { pieces } = this.#touch(id);
    if (bytes === undefined) pieces.delete(formatUlid(ulid));
    else pieces.set(formatUlid(ulid), { first, end, bytes });
  }

  #applyTail(name: StreamName, before: Item | undefined, after: Item | undefined): void {
    const change = {
      name,
      before: before && decodeTail(before),
      after: after && decodeTail(after),
    };
    this.#tails.push(change);
    if (change.before) this.#touch(change.before.streamId).tail = undefined;
    this.#live.delete(name);
    if (change.after === undefined) return;

    const incarnation = this.#touch(change.after.streamId);
    incarnation.tail = change.after;
    incarnation.name = name;
    this.#live.set(name, incarnation);
  }

  #applyRegistry(name: StreamName, after: Item | undefined): void {
    const before = this.#registered.get(name);
    if (before !== undefined) this.#touch(before.streamId).isRegistered = false;
    this.#registered.delete(name);
    if (after === undefined) return;

    const incarnation = this.#touch(streamIdOf(after));
    incarnation.isRegistered = true;
    this.#registered.set(name, incarnation);
  }

  #applyOther(k: string, s: string, item: Item | undefined): void {
    if (k.startsWith('D') && k.length === 2) {
      this.#applyDue(s, item);
      return;
    }
    const apply = KINDS[k.charAt(0)];
    if (apply !== undefined) apply(this.#touch(streamId(k.slice(1))), s, item);
  }

  #applyDue(sortKey: string, item: Item | undefined): void {
    const parsed = parseDueKey(sortKey);
    if (parsed === undefined) throw new Violation('WRONG_NAME', `due item ${sortKey}`);
    const { due } = this.#touch(parsed.id);
    if (item === undefined) due.delete(sortKey);
    else due.set(sortKey, parsed.work);
  }

  #touch(id: StreamId): Incarnation {
    const incarnation = this.incarnation(id);
    this.#touched.add(incarnation);
    return incarnation;
  }
}
