/**
 * What each operation of the store on S3 and DynamoDB sends and is charged for: the one table that bills
 * are made of. The tests in test/aws/cost-budget count every line of it on the store itself.
 */

/** Requests to S3 and capacity units of DynamoDB; objects and items are deleted for nothing and a unit each. */
export interface Units {
  readonly puts: number;
  readonly gets: number;
  readonly writeUnits: number;
  readonly readUnits: number;
}

const NONE: Units = { puts: 0, gets: 0, writeUnits: 0, readUnits: 0 };

function units(some: Partial<Units>): Units {
  return { ...NONE, ...some };
}

/** Refs move from the tail into the index when there are so many. */
export const PUBLISHES_PER_SPILL = 16;
/** So many publishers leave the tail together. */
export const PUBLISHERS_PER_EVICTION = 16;
/** A tail has fewer publishers than this after every publish. */
export const PUBLISHERS_IN_TAIL_MAX = 31;
/** Of each stream; the others are new again. */
export const PUBLISHERS_REMEMBERED = 255;
const PUBLISHERS_IN_FIRST_UNIT = 12;
const PUBLISHERS_PER_UNIT = 25;

export const OPERATION_UNITS = {
  /** One request of any number of messages, or several that were committed together. */
  publish: units({ puts: 1, writeUnits: 1 }),
  /** Once for every {@link PUBLISHES_PER_SPILL} publishes: the index item, and the tail without its refs. */
  spill: units({ writeUnits: 2 }),
  /** When the messages of 16 publishes, or of a whole segment, were dropped: an item each. */
  removeIndexItem: units({ writeUnits: 1 }),
  removeSegment: units({ writeUnits: 1 }),
  /**
   * By the publish that opens the next one, beside a spill, with the note that there is something to pack; a
   * read unit more for each 144 publishes beyond.
   */
  sealSegment: units({ writeUnits: 5, readUnits: 3 }),
  /** A maintainer looks at a stream's segments, and nothing is to be done. */
  keepSegments: units({ writeUnits: 2, readUnits: 9 }),
  /** Beside the look: whatever is to be packed, but for its pieces. */
  packSegment: units({ writeUnits: 4, readUnits: 2 }),
  /** Beside a GET for each of its chunks; a read unit more for each 144 publishes. */
  packPiece: units({ puts: 1, writeUnits: 4, readUnits: 1 }),
  /** A segment that reached its age: the tail, and notes that something is to be removed. */
  dropSegment: units({ writeUnits: 3, readUnits: 2 }),
  /** A maintainer removes what a stream needs no more, beside the items: at most each hour. */
  removalPass: units({ writeUnits: 4, readUnits: 11 }),
  /** Of one removal in four: chance picks a block that is read. */
  auditSample: units({ gets: 2, readUnits: 1 }),
  /** The name of a publisher that the stream does not know. */
  firstOfPublisher: units({ writeUnits: 1 }),
  /** At most, with 255 publishers remembered: by the publish that brings the tail's publishers to 32. */
  evictPublishers: units({ writeUnits: 13, readUnits: 4 }),
  /** At most: a publisher that left the tail publishes again. */
  returnOfPublisher: units({ readUnits: 3 }),
  /** The first time that a process has to do with a stream. */
  firstContact: units({ readUnits: 2 }),
  /** A reader looks for what is new, and there is nothing. */
  tailRead: units({ readUnits: 1 }),
  /** Beside the look, for each chunk that the reading process does not have. */
  newChunk: units({ gets: 1 }),
  /** At most, beside a GET for each chunk: a page that begins in the index. */
  historyPage: units({ readUnits: 3 }),
  /** At most: the first page of a packed segment that a process reads, a MiB; and each one behind it. */
  packedPage: units({ gets: 2, readUnits: 2 }),
  nextPackedPage: units({ gets: 1 }),
  /** Of a consumer: its first offset, with the write that found none; a later one; what is stored for a reader. */
  storeFirstOffset: units({ writeUnits: 5 }),
  storeOffset: units({ writeUnits: 1 }),
  findOffset: units({ readUnits: 1 }),
  removeOffset: units({ writeUnits: 4 }),
  /** Of an exchange; and of each that a publish can reach from the one it goes to, beside a publish to each stream. */
  declareExchange: units({ writeUnits: 4 }),
  deleteExchange: units({ writeUnits: 6, readUnits: 1 }),
  bind: units({ writeUnits: 6 }),
  unbind: units({ writeUnits: 4 }),
  routeByExchange: units({ readUnits: 1 }),
  /** One message of up to a KiB, and as much for each KiB more; the stream is looked at first. */
  holdAlone: units({ writeUnits: 1, readUnits: 1 }),
  /** Beside 2 units for each KiB of each message: several of a request, or of a publisher. */
  holdTogether: units({ writeUnits: 2 }),
  /** One message of more than 4 KiB, and 2 units for each further one of the request; its release is dearer too. */
  holdLarge: units({ puts: 1, writeUnits: 4 }),
  dropLarge: units({ gets: 2 }),
  /** Beside a unit for each KiB of each message, and a publish without its object: the plan, and its end. */
  release: units({ writeUnits: 3 }),
  cancelHeld: units({ writeUnits: 4 }),
  /** Nothing is due. */
  lookForDue: units({ readUnits: 4 }),
  /** A new value of an exchange: its number and its record, behind a look at both. */
  rememberValue: units({ writeUnits: 2, readUnits: 2 }),
  /** To each destination, in one transaction with the note of who has it; where it came to lie takes a look. */
  publishRemembered: units({ puts: 1, writeUnits: 4, readUnits: 1 }),
  /** Beyond the limit: the transaction that is refused, and the one that leaves work with it. */
  storeBeyondLimit: units({ writeUnits: 11 }),
  /** Once for every change of settings, beside a look at the segments; then the read alone. */
  keepChangedLimit: units({ writeUnits: 1, readUnits: 1 }),
  createStream: units({ writeUnits: 8 }),
  /** The first publish of a stream: should it come to nothing, its object is still found and removed. */
  createByPublish: units({ puts: 1, writeUnits: 11, readUnits: 3 }),
  deleteStream: units({ writeUnits: 6 }),
  /** The tail, and a note that something is to be removed. */
  trim: units({ writeUnits: 2, readUnits: 1 }),
  setFencingToken: units({ writeUnits: 1 }),
  changeSettings: units({ writeUnits: 3, readUnits: 2 }),
  /** Once a minute, in an idle deployment. */
  upkeepPass: units({ readUnits: 9 }),
} as const satisfies { readonly [operation: string]: Units };

/** Of one publish with so many named publishers in the tail, whatever its refs: it grows by 40 bytes each. */
export function publishWriteUnits(publishersInTail: number): number {
  const beyond = Math.max(0, publishersInTail - PUBLISHERS_IN_FIRST_UNIT);
  return OPERATION_UNITS.publish.writeUnits + Math.ceil(beyond / PUBLISHERS_PER_UNIT);
}

/** Several operations, each as often as is said. */
export function sumUnits(parts: readonly (readonly [Units, number])[]): Units {
  const sum = (name: keyof Units) =>
    parts.reduce((total, [part, times]) => total + part[name] * times, 0);
  return {
    puts: sum('puts'),
    gets: sum('gets'),
    writeUnits: sum('writeUnits'),
    readUnits: sum('readUnits'),
  };
}
