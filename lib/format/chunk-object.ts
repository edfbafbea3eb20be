/**
 * An object of chunks: the requests that one commit stored together, in their order, each as a chunk of
 * its own (format/chunk). Immutable, and written before anything refers to it (PROTOCOL, invariant 1).
 *
 *   'V' 0x56 | 'O' 0x4f | version 0x01 | varint bytes of the refs | refs (format/run-refs) | chunks
 *
 * The base in the refs is 0: which offset the object has is decided after it was written, and lies in
 * the ref that makes it visible. So are their times only lower bounds: the maximum of what came before
 * (SPEC O18) is added by readers.
 */
import { VarintReader, varintBytes, writeVarint } from '../wire/varint.ts';
import { decodeChunk, encodeChunk } from './chunk.ts';
import { asCorrupt, CorruptChunk } from './corrupt-chunk.ts';
import { decodeRunRefs, encodeRunRefs } from './run-refs.ts';

/** The messages of one request. */
export interface ObjectPart {
  readonly count: number;
  readonly records: Uint8Array;
  /** Logical bytes of all messages. */
  readonly bytes: number;
  readonly jsonChecked: boolean;
  /** Never below that of the part before. */
  readonly timeMs: number;
}

const PREFIX = [0x56, 0x4f, 1] as const;

export function encodeChunkObject(parts: readonly ObjectPart[]): Uint8Array {
  const chunks = parts.map(encodeChunk);
  const refs = encodeRunRefs({
    base: 0,
    refs: parts.map(({ count, timeMs }, index) => {
      return { count, timeMs, chunkBytes: chunks[index]?.length ?? 0, opensSegment: false };
    }),
  });
  const headerBytes = PREFIX.length + varintBytes(refs.length) + refs.length;
  const target = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, headerBytes));
  target.set(PREFIX);
  let position = writeVarint(target, refs.length, PREFIX.length);
  for (const part of [refs, ...chunks]) {
    target.set(part, position);
    position += part.length;
  }
  return target;
}

/** `what` names the object in the {@link CorruptChunk} that is thrown on any damage. */
export function decodeChunkObject(object: Uint8Array, what: string): readonly ObjectPart[] {
  try {
    return decode(object, what);
  } catch (error) {
    throw asCorrupt(error, what);
  }
}

function decode(object: Uint8Array, what: string): readonly ObjectPart[] {
  const reader = new VarintReader(object);
  const prefix = reader.take(PREFIX.length, 'magic');
  if (PREFIX.some((byte, index) => prefix[index] !== byte)) {
    throw new CorruptChunk(`no object of version ${PREFIX[2]}`);
  }
  const encoded = reader.take(reader.next('bytes of the refs'), 'refs');
  const { refs } = decodeRunRefs(encoded, 'its refs');
  const parts = refs.map(({ count, chunkBytes, timeMs }, index) => {
    const part = decodeChunk(reader.take(chunkBytes, 'chunk'), `${what}, chunk ${index}`);
    if (part.count !== count) {
      throw new CorruptChunk(`chunk ${index} has ${part.count} messages, its ref ${count}`);
    }
    return { ...part, timeMs };
  });
  if (reader.position !== object.length) {
    throw new CorruptChunk(`an object of ${reader.position} bytes in ${object.length}`);
  }
  return parts;
}
