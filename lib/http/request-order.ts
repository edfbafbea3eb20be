/**
 * Requests that come on one connection before its answers are taken are handled one after the other.
 * Answers go out in that order in any case: ten thousand pages made ahead of a client that reads none of
 * them were 2 GiB, and publishes sent one behind the other could take effect in another order.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Handle = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

export function inOrder(handle: Handle): Handle {
  const last = new WeakMap<Socket, ServerResponse>();
  return (incoming, outgoing) => {
    const { socket } = incoming;
    const before = last.get(socket);
    last.set(socket, outgoing);
    if (before === undefined || before.writableFinished) {
      handle(incoming, outgoing);
      return;
    }
    before.once('close', () => {
      // Nobody is there to take the answer, and nothing was begun.
      if (!socket.destroyed) handle(incoming, outgoing);
    });
  };
}
