/** Stored bytes that fail their check. The message names what was being read, never a file path. */

export class CorruptChunk extends Error {
  override readonly name = 'CorruptChunk';
}

/** Whatever goes wrong on stored bytes means the same: they are not those that were written. */
export function asCorrupt(cause: unknown, what: string): CorruptChunk {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new CorruptChunk(`${what}: ${reason}`, { cause });
}
