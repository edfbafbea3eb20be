/**
 * Where segments are packed: in a thread of its own, since compressing takes a core for a second a segment, or
 * on that of the caller. The thread starts when there is something to pack, and is never waited for.
 */
import type { PieceRange, StoredPiece } from './piece-table.ts';
import type { SegmentPacker } from './segment-packer.ts';
import { toStoreError } from './sqlite-error.ts';
import { ThreadCalls } from './thread-calls.ts';

export interface Packer {
  /** The files of a sealed segment; undefined when it was dropped meanwhile. */
  pack(segment: PieceRange): Promise<readonly StoredPiece[] | undefined>;
  close(): Promise<void>;
}

/** What crosses to the thread when it starts. */
export interface PackerThreadData {
  readonly location: string;
  readonly pieceBytes: number;
}

export function createInlinePacker(packer: SegmentPacker): Packer {
  return {
    pack: async (segment) => {
      try {
        return packer.pack(segment);
      } catch (error) {
        throw toStoreError(error, 'reading');
      }
    },
    close: async () => {},
  };
}

export function createThreadPacker(data: PackerThreadData): Packer {
  let thread: ThreadCalls<PieceRange> | undefined;
  return {
    pack: async (segment) => {
      // One that died is followed by another.
      if (thread === undefined || thread.isDead) thread = startThread(data);
      await thread.ready;
      return await thread.call(segment);
    },
    // In the middle of a file, if it must be: the next start removes that.
    close: async () => await thread?.terminate(),
  };
}

function startThread(data: PackerThreadData): ThreadCalls<PieceRange> {
  const entry = new URL('./packer-thread.ts', import.meta.url);
  return new ThreadCalls({ name: 'packer', entry, data, failed: () => {} });
}
