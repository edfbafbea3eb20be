/**
 * Writes an answer to the stream that a function was given, piece by piece as it comes (SPEC LR3). The
 * runtime sends the head with the first write and never without one, so there is always one, empty or not.
 */
import type { AnswerHeaders } from '../answer.ts';
import { piecesOf } from '../pieces-answer.ts';
import { liveBodyOf, type PieceSink, writeLivePieces } from '../render/live-body.ts';

/** The stream of the runtime: no `Writable`, but the part of one that is used here. */
export interface AnswerStream extends PieceSink {
  write(piece: Uint8Array | string): boolean;
  destroy(): unknown;
  on(event: 'close' | 'error', listener: () => void): unknown;
}

export interface AnswerHead {
  readonly statusCode: number;
  readonly headers: AnswerHeaders;
}

/** `begin` says what the head is; resolves when all is written, and rejects when it cannot be made. */
export async function streamAnswer(
  answer: Response,
  begin: (head: AnswerHead) => AnswerStream,
): Promise<void> {
  const stream = begin({ statusCode: answer.status, headers: Object.fromEntries(answer.headers) });
  stream.write('');
  const live = liveBodyOf(answer);
  if (live !== undefined) {
    await writeLivePieces(stream, live);
    return;
  }
  const pieces = piecesOf(answer)?.pieces ?? [new Uint8Array(await answer.arrayBuffer())];
  for (const piece of pieces) stream.write(piece);
  stream.end();
}
