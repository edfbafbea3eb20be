/** Followers of an event stream on bare sockets, so light that a hundred of them fit on one core. */

import { openSocket } from '../support/raw-exchange.ts';
import type { Following } from './contender.ts';

export interface FollowerOptions {
  readonly port: number;
  readonly followers: number;
  readonly heard: (body: string) => void;
}

export async function openFollowers(options: FollowerOptions): Promise<Following> {
  const sockets = await Promise.all(
    Array.from({ length: options.followers }, () => openFollower(options)),
  );
  return {
    stop: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function openFollower({ port, heard }: FollowerOptions) {
  const socket = await openSocket(port);
  const started = Promise.withResolvers<void>();
  let rest = '';
  socket.on('data', (data) => {
    started.resolve();
    const events = (rest + data.toString('latin1')).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      for (const [, body = ''] of event.matchAll(/"text":"([^"]*)"/g)) heard(body);
    }
  });
  const path = '/v1/streams/live/messages?from=next&as=sse';
  socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
  await started.promise;
  return socket;
}
