/** Durable Streams (`@durable-streams/server`): HTTP like Varve, one file a stream. */
import { fileURLToPath } from 'node:url';
import { openSocket } from '../../support/raw-exchange.ts';
import { startServerProcess } from '../../support/server-process.ts';
import type { Contender, Lanes } from '../contender.ts';
import { LARGE_BYTES, SMALL } from '../messages.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const ENTRY = fileURLToPath(new URL('../durable-server.ts', import.meta.url));

export async function startDurableStreams(
  folder: string,
  options: { readonly under: readonly string[]; readonly bodies: readonly string[] },
): Promise<Contender> {
  const server = await startServerProcess({
    data: `${folder}/durable-streams`,
    entry: ENTRY,
    under: options.under,
  });
  for (const stream of ['single', 'batches', 'live']) {
    await fetch(`${server.url}/${stream}`, { method: 'PUT', headers: JSON_TYPE });
  }
  const post = async (stream: string, body: string) => {
    const answer = await fetch(`${server.url}/${stream}`, {
      method: 'POST',
      headers: JSON_TYPE,
      body,
    });
    if (!answer.ok) throw new Error(`answered ${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  const lanesOf = (lanes: number, messages: number, send: () => Promise<void>): Lanes => ({
    messages,
    senders: Array.from({ length: lanes }, () => send),
    close: () => undefined,
  });
  const small = JSON.stringify(SMALL.toString());
  const batch = `[${options.bodies.join(',')}]`;
  return {
    name: 'Durable Streams',
    durability: 'synced before the answer',
    pid: server.pid,
    singles: async (lanes) => lanesOf(lanes, 1, () => post('single', small)),
    batchForms: ['json'],
    batches: async (_form, lanes) =>
      lanesOf(lanes, options.bodies.length, () => post('batches', batch)),
    readForms: ['json'],
    read: (_form, count) => readAll(server.url, count),
    follow: (followers, heard) => followAll(server.port, { followers, heard }),
    publisher: async () => ({
      send: (body) => post('live', JSON.stringify(body.toString())),
      close: () => undefined,
    }),
    end: () => server.end(),
  };
}

async function readAll(url: string, count: number): Promise<void> {
  let [read, offset] = [0, '-1'];
  while (read < count) {
    const answer = await fetch(`${url}/batches?offset=${offset}`);
    const messages: unknown[] = JSON.parse(await answer.text());
    if (messages.length === 0) throw new Error(`read ${read} of ${count}`);
    for (const message of messages) {
      if (typeof message !== 'object') throw new Error(`a message of ${LARGE_BYTES} is missing`);
    }
    read += messages.length;
    offset = answer.headers.get('stream-next-offset') ?? '';
  }
}

async function followAll(
  port: number,
  { followers, heard }: { readonly followers: number; readonly heard: (body: string) => void },
) {
  const sockets = await Promise.all(
    Array.from({ length: followers }, async () => {
      const socket = await openSocket(port);
      const started = Promise.withResolvers<void>();
      socket.on('data', (data) => {
        started.resolve();
        for (const [, body = ''] of data.toString('latin1').matchAll(/"([0-9.]+ [^"]*)"/g)) {
          heard(body);
        }
      });
      socket.write('GET /live?offset=now&live=sse HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
      await started.promise;
      return socket;
    }),
  );
  return {
    stop: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}
