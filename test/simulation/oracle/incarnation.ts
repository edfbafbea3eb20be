/** One incarnation as it is stored at this moment, decoded, beside the log of what was stored in it. */

import type { Side } from '../../../lib/aws/publisher-side.ts';
import type { SealedSegment } from '../../../lib/aws/segment-item.ts';
import type { IndexItem } from '../../../lib/aws/stream-index.ts';
import type { Tail } from '../../../lib/aws/tail-item.ts';
import type { StreamId, StreamName } from '../../../lib/core/log/ids.ts';
import type { StreamSettings } from '../../../lib/core/log/settings.ts';
import type { DueWork } from './due-work.ts';
import { StoredConsumers } from './stored-consumers.ts';
import { TrueLog } from './true-log.ts';

/** An object that holds offsets [first, end), as its name says. */
export interface StoredPiece {
  readonly first: number;
  readonly end: number;
  readonly bytes: Uint8Array;
}

export class Incarnation {
  readonly streamId: StreamId;
  readonly log = new TrueLog();
  /** Undefined before it is created and after it was deleted. */
  tail: Tail | undefined;
  /** Set once it was created. */
  name: StreamName | undefined;
  isRegistered = false;
  hasGrave = false;
  sealedEnd: number | undefined;
  /** Logical bytes up to there, and the offset up to which nobody looks for what is to be packed. */
  sealedBytes = 0;
  packedEnd = 0;
  readonly index = new Map<number, IndexItem>();
  readonly segments = new Map<number, SealedSegment>();
  side: Side | undefined;
  revision: number | undefined;
  /** Of every revision that was ever written. */
  readonly settings = new Map<number, StreamSettings>();
  /** The highest revision whose change was acknowledged. */
  acknowledgedRevision = 1;
  /** Chunk objects, and pieces of segments, by the text of their ids. */
  readonly objects = new Map<string, Uint8Array>();
  readonly pieces = new Map<string, StoredPiece>();
  /** Pieces that hold what they must: they never change. */
  readonly rightPieces = new Set<string>();
  /** Bases of index items that were removed: one that is there again was brought by a late spiller. */
  readonly removedItems = new Set<number>();
  /** Of messages that are held for it. */
  readonly heldObjects = new Set<string>();
  readonly consumers = new StoredConsumers();
  /** What is left to be done for it, by the keys of the items. */
  readonly due = new Map<string, DueWork>();
  /** Sort keys of items that no rule looks at: names of publishers. */
  readonly names = new Set<string>();
  /** And of values of a large cache. */
  readonly values = new Set<string>();
  /** Behind the last message, and the first retained one, that somebody was told of. */
  acknowledgedNext = 0;
  acknowledgedFirst = 0;

  constructor(streamId: StreamId) {
    this.streamId = streamId;
  }

  /** What is stored of it, told by kind; the tail and the registry are not counted. */
  remains(): readonly string[] {
    return [
      ...[...this.index.keys()].map((base) => `index item ${base}`),
      ...[...this.segments.keys()].map((first) => `segment ${first}`),
      ...[...this.objects.keys()].map((ulid) => `object ${ulid}`),
      ...[...this.pieces.keys()].map((ulid) => `piece ${ulid}`),
      ...[...this.heldObjects].map((ulid) => `held messages ${ulid}`),
      ...[...this.names].map((name) => `publisher name ${name}`),
      ...[...this.values].map((key) => `value ${key}`),
      ...[...this.consumers.stored.keys()].map((name) => `consumer ${name}`),
      ...(this.consumers.hasCounter ? ['counter of consumers'] : []),
      ...(this.side === undefined ? [] : ['side item']),
      ...(this.revision === undefined ? [] : ['settings']),
      ...(this.sealedEnd === undefined ? [] : ['control']),
    ];
  }
}
