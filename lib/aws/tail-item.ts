/**
 * The tail of a stream, one small item: all that a commit reads and changes. Attributes are single letters,
 * as every commit is charged for their bytes; FORMAT.md says what each of them is. Every one that a condition
 * compares is there from the beginning: with an absent attribute no comparison holds.
 */
import { assert } from '../core/assert.ts';
import { type Offset, offset, type StreamId, streamId } from '../core/log/ids.ts';
import type { ActiveSegment } from '../core/log/segment.ts';
import { decodeTailRef, type TailRef } from '../format/tail-ref.ts';
import {
  asBytes,
  asNumber,
  bytesOf,
  bytesValue,
  listOf,
  listValue,
  mapOf,
  mapValue,
  numberOf,
  numberValue,
  setOf,
  textOf,
  textValue,
} from './attribute.ts';
import { decodePublisherEntry, type PublisherEntry } from './publisher-entry.ts';
import type { Attribute, Item, ItemKey } from './table.ts';
import { NO_BYTES, type ValueRing } from './value-ring.ts';

export interface Tail {
  readonly streamId: StreamId;
  readonly epoch: number;
  readonly next: Offset;
  /** The refs hold [base, next). */
  readonly base: Offset;
  readonly timeBelowMs: number;
  readonly lastChunk: Offset;
  readonly first: Offset;
  readonly bytes: number;
  readonly horizon: Uint8Array;
  readonly refs: readonly TailRef[];
  /** By the hash of their name. */
  readonly publishers: ReadonlyMap<string, PublisherEntry>;
  /** Version of the side item that is known to hold whoever left. */
  readonly sideVersion: number;
  readonly segment: ActiveSegment | undefined;
  readonly cancelled: readonly Uint8Array[];
  readonly fencingToken: string | undefined;
  /** Rises with what makes maintenance necessary, and when that has been done (PROTOCOL R14). */
  readonly workVersion: number;
  /** How many values were ever recorded, and the latest of them that have no item of their own (PROTOCOL R17). */
  readonly valuesRecorded: number;
  readonly ring: ValueRing;
}

export function decodeTail(item: Item): Tail {
  const what = () => `the tail of stream ${streamIdText(item)}`;
  return {
    streamId: streamId(streamIdText(item)),
    epoch: numberOf(item, 'e'),
    next: offset(asNumber(listOf(item, 'n')[0], what)),
    base: offset(numberOf(item, 'b')),
    timeBelowMs: numberOf(item, 'a'),
    lastChunk: offset(numberOf(item, 'l')),
    first: offset(numberOf(item, 't')),
    bytes: numberOf(item, 'y'),
    horizon: bytesOf(item, 'h'),
    refs: listOf(item, 'r').map((ref) => decodeTailRef(asBytes(ref, what), what())),
    publishers: decodePublishers(mapOf(item, 'p')),
    sideVersion: numberOf(item, 'v'),
    segment: decodeSegment(listOf(item, 'g')),
    cancelled: setOf(item, 'c'),
    fencingToken: item['f'] === undefined ? undefined : textOf(item, 'f'),
    workVersion: numberOf(item, 'w'),
    valuesRecorded: numberOf(item, 'x'),
    ring: {
      bytes: item['d'] === undefined ? NO_BYTES : bytesOf(item, 'd'),
      number: numberOf(item, 'z'),
    },
  };
}

function streamIdText(item: Item): string {
  return Buffer.from(bytesOf(item, 'i')).toString('hex');
}

export function decodePublishers(entries: Item): ReadonlyMap<string, PublisherEntry> {
  return new Map(Object.entries(entries).map(([key, entry]) => [key, decodePublisherEntry(entry)]));
}

/** Its first offset is stored plus 1: 0 until a stream has a segment. */
function decodeSegment(segment: readonly Attribute[]): ActiveSegment | undefined {
  const what = () => 'the segment of a tail';
  const [start = 0, bytesBefore = 0, firstTimeMs = 0] = segment.map((n) => asNumber(n, what));
  return start === 0 ? undefined : { first: offset(start - 1), bytesBefore, firstTimeMs };
}

export function streamIdValue(id: StreamId): Attribute {
  return bytesValue(Buffer.from(id, 'hex'));
}

/** What a first commit stores together with the stream that it creates. */
export interface FirstRef {
  readonly ref: Attribute;
  readonly count: number;
  readonly bytes: number;
  readonly lastChunk: number;
  readonly timeMs: number;
  readonly publishers: Item;
}

const NOTHING: Omit<FirstRef, 'ref'> = {
  count: 0,
  bytes: 0,
  lastChunk: 0,
  timeMs: 0,
  publishers: {},
};

export function encodeNewTail(key: ItemKey, id: StreamId, first?: FirstRef): Item {
  const { count, bytes, lastChunk, timeMs, publishers } = first ?? NOTHING;
  assert(first === undefined || count > 0, 'a first commit without messages');
  const zero = numberValue(0);
  return {
    k: textValue(key.k),
    s: textValue(key.s),
    i: streamIdValue(id),
    e: numberValue(1),
    n: listValue(numberValue(count)),
    b: zero,
    a: zero,
    l: numberValue(lastChunk),
    t: zero,
    y: numberValue(bytes),
    h: bytesValue(Uint8Array.of(0)),
    r: listValue(...(first === undefined ? [] : [first.ref])),
    p: mapValue(publishers),
    v: zero,
    g: listValue(numberValue(first === undefined ? 0 : 1), zero, numberValue(timeMs)),
    j: zero,
    w: zero,
    x: zero,
    z: zero,
  };
}
