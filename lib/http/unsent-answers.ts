/**
 * Bounds what is held of answers that nobody takes: a client that asks for pages and never reads them
 * keeps each in memory until its connection is cut. Beyond the bound pages become small, which any
 * reader may meet (`max_bytes` is a most, `Varve-Next` tells where to go on), so nobody has to wait.
 */
import type { ServerResponse } from 'node:http';
import { READ_BYTES_MAX } from '../core/log/limits.ts';

const HELD_BYTES_MAX = 64 * 1024 * 1024;
/** The kernel takes this much off our hands for a connection whose other end does not read. */
const PAGE_BYTES_UNDER_PRESSURE = 64 * 1024;
/** A look goes over all open answers, of which there may be ten thousand. */
const LOOK_MS = 50;

export interface UnsentAnswers {
  /** Counts what this answer holds until its connection is done with it. */
  watch(outgoing: ServerResponse): void;
  /** How large a page may be now. What is then made must be told by `add`. */
  pageBytesMax(): number;
  add(bytes: number): void;
}

export interface UnsentOptions {
  readonly heldBytesMax?: number;
  readonly nowMs?: () => number;
}

export function createUnsentAnswers(options: UnsentOptions = {}): UnsentAnswers {
  const { heldBytesMax = HELD_BYTES_MAX, nowMs = () => performance.now() } = options;
  const open = new Set<ServerResponse>();
  /** Never below what is held: pages are added when they are made, and taken off by a look at all. */
  let heldBytes = 0;
  let lookedMs = Number.NEGATIVE_INFINITY;

  function look(): void {
    lookedMs = nowMs();
    heldBytes = 0;
    for (const { writableLength } of open) heldBytes += writableLength;
  }

  return {
    watch(outgoing) {
      open.add(outgoing);
      outgoing.once('close', () => open.delete(outgoing));
    },
    pageBytesMax() {
      if (heldBytes > heldBytesMax && nowMs() - lookedMs >= LOOK_MS) look();
      return heldBytes > heldBytesMax ? PAGE_BYTES_UNDER_PRESSURE : READ_BYTES_MAX;
    },
    add(bytes) {
      heldBytes += bytes;
    },
  };
}
