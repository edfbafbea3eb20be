/** Connections by the thousand, opened as fast as the other end takes them. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** At a time: above the backlog of a listening socket, connections are refused. */
const OPENED_AT_A_TIME = 100;

export class Crowd implements Disposable {
  readonly sockets: Socket[] = [];

  static async open(port: number, count: number): Promise<Crowd> {
    const crowd = new Crowd();
    while (crowd.sockets.length < count) {
      const some = Array.from({ length: Math.min(OPENED_AT_A_TIME, count - crowd.sockets.length) });
      crowd.sockets.push(...(await Promise.all(some.map(() => openSocket(port)))));
    }
    return crowd;
  }

  write(text: string | Uint8Array): void {
    for (const socket of this.sockets) socket.write(text);
  }

  [Symbol.dispose](): void {
    for (const socket of this.sockets) socket.destroy();
  }
}

/** Reads nothing until somebody listens. A server that cuts it is within its rights. */
async function openSocket(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  return socket;
}
