/**
 * Answers of one connection go out in the order of its requests. What the parser refuses has no place in
 * that order: written at once, its answer would be taken for that of a request before it, and tell of a
 * publish that is stored that nothing was.
 */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface AnswerTurns {
  /** Calls `answer` behind the answers that are due on this connection; where it can have none, never. */
  inTurn(socket: Socket, answer: () => void): void;
}

export function watchTurns(server: Server): AnswerTurns {
  const last = new WeakMap<Socket, ServerResponse>();
  const waiting = new WeakSet<Socket>();
  server.on('request', (incoming, outgoing) => last.set(incoming.socket, outgoing));

  function inTurn(socket: Socket, answer: () => void): void {
    const before = last.get(socket);
    if (before === undefined || !socket.writable) answer();
    else if (!before.req.complete) answerInside(socket, before, answer);
    else if (before.writableFinished) answer();
    else if (!waiting.has(socket)) {
      // Whatever else comes on this connection is refused as well.
      waiting.add(socket);
      before.once('close', answer);
    }
  }
  return { inTurn };
}

/** The fault is in the body of the last request, which has one answer, and it may have begun. */
function answerInside(socket: Socket, own: ServerResponse, answer: () => void): void {
  const isFirst = own.socket !== null;
  if (own.headersSent) socket.end();
  else if (isFirst) answer();
  else socket.destroy();
}
