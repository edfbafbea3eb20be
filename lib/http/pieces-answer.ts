/**
 * An answer whose body is there in pieces: frame headers and records as they are stored. A server writes
 * the pieces one after the other and never copies them together, which took nearly as long as sending them;
 * whoever sees only the `Response` reads the same bytes from it.
 */
import type { ServerResponse } from 'node:http';
import type { AnswerHeaders } from './answer.ts';

export interface Pieces {
  readonly headers: AnswerHeaders;
  readonly pieces: readonly Uint8Array[];
}

const PIECES_OF = new WeakMap<Response, Pieces>();

export function piecesAnswer(pieces: readonly Uint8Array[], headers: AnswerHeaders): Response {
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  const sized = { ...headers, 'content-length': String(size) };
  const response = new Response(ReadableStream.from(pieces), { headers: sized });
  PIECES_OF.set(response, { headers: sized, pieces });
  return response;
}

/** Undefined for an answer with a body of another kind. */
export function piecesOf(response: Response): Pieces | undefined {
  return PIECES_OF.get(response);
}

export function writePieces(outgoing: ServerResponse, { headers, pieces }: Pieces): void {
  outgoing.writeHead(200, headers);
  outgoing.cork();
  for (const piece of pieces) outgoing.write(piece);
  outgoing.end();
}
