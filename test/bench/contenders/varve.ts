/** Varve over bare sockets with prepared requests, so that the server is measured and no HTTP client. */
import { type Client, connect } from '../../../lib/client/connect.ts';
import { encodeFrameHeader, MESSAGES_TYPE } from '../../../lib/wire/frame.ts';
import { encodeRecords } from '../../../lib/wire/record.ts';
import { encodeRequest, RawConnection } from '../../support/raw-connection.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import type { Contender, Lanes } from '../contender.ts';
import { openFollowers } from '../event-followers.ts';
import { SMALL } from '../messages.ts';
import { checkingReaders, readAlternating } from '../varve-pages.ts';

const JSON_TYPE = 'application/json';

export async function startVarve(
  folder: string,
  options: { readonly under: readonly string[]; readonly bodies: readonly string[] },
): Promise<Contender> {
  const server = await startServerProcess({ data: `${folder}/varve`, under: options.under });
  const client = connect({ url: server.url });
  const batches = encodeBatches(options.bodies);
  return {
    name: 'varve',
    durability: 'synced before the answer',
    pid: server.pid,
    port: server.port,
    singles: (lanes) =>
      openLanes(server, { lanes, messages: 1, request: publish('single', 'text/plain', SMALL) }),
    batchForms: Object.keys(batches),
    batches: (form, lanes) =>
      openLanes(server, {
        lanes,
        messages: options.bodies.length,
        request: batches[form] ?? Buffer.alloc(0),
      }),
    readForms: [...Object.keys(checkingReaders), 'binary by the client library'],
    read: (form, count) =>
      form in checkingReaders
        ? readAlternating(server.port, form, count)
        : readByClient(client, count),
    follow: async (followers, heard) => {
      await fetch(`${server.url}/v1/streams/live`, { method: 'PUT' });
      return await openFollowers({ port: server.port, followers, heard });
    },
    publisher: async () => {
      const connection = await RawConnection.open(server.port);
      return {
        send: (body) => connection.send(publish('live', 'text/plain', body)),
        close: () => connection.close(),
      };
    },
    end: () => server.end('SIGTERM'),
  };
}

function encodeBatches(bodies: readonly string[]): { readonly [form: string]: Buffer } {
  const lines = bodies.map((body) => `${body}\n`).join('');
  const envelope = `{"messages":[${bodies.map((body) => `{"json":${body}}`).join(',')}]}`;
  const records = encodeRecords(
    bodies.map((body) => ({ body: Buffer.from(body), contentType: JSON_TYPE })),
  );
  const header = encodeFrameHeader({ count: bodies.length, records });
  return {
    json: publish('batches', JSON_TYPE, Buffer.from(envelope)),
    ndjson: publish('batches', 'application/x-ndjson', Buffer.from(lines)),
    binary: publish('batches', MESSAGES_TYPE, Buffer.concat([header, records])),
  };
}

function publish(stream: string, contentType: string, body: Uint8Array): Buffer {
  const path = `/v1/streams/${stream}/messages?create=true`;
  return encodeRequest({ method: 'POST', path, contentType, body });
}

async function openLanes(
  { port }: ServerProcess,
  {
    lanes,
    messages,
    request,
  }: { readonly lanes: number; readonly messages: number; readonly request: Buffer },
): Promise<Lanes> {
  const connections = await Promise.all(
    Array.from({ length: lanes }, () => RawConnection.open(port)),
  );
  return {
    messages,
    senders: connections.map((connection) => () => connection.send(request)),
    close: () => {
      for (const connection of connections) connection.close();
    },
  };
}

async function readByClient(client: Client, count: number): Promise<void> {
  let expected = 0;
  const pageBytes = 4 * 1024 * 1024;
  for await (const page of client.pages({ stream: 'batches', from: 0, limit: count, pageBytes })) {
    for (const { offset, body } of page.messages) {
      if (offset !== expected++ || body.length === 0) throw new Error(`${offset} is out of order`);
    }
  }
  if (expected !== count) throw new Error(`read ${expected} of ${count}`);
}
