/** NATS JetStream, told to sync every message: by default it acknowledges up to two minutes before. */
import { writeFile } from 'node:fs/promises';
import { connect, DeliverPolicy, type NatsConnection, StorageType } from 'nats';
import type { Contender, Lanes } from '../contender.ts';
import { LARGE_BYTES, SMALL } from '../messages.ts';
import { freePort, startPeer } from './peer-process.ts';

/** Debian's 2.9 does not know the setting. */
const HINT =
  'no nats-server of 2.11 or later is on the path (go install github.com/nats-io/nats-server/v2@v2.15.3)';
const ACK_MS_MAX = 60_000;

export async function startNats(
  folder: string,
  options: { readonly under: readonly string[]; readonly bodies: readonly string[] },
): Promise<Contender> {
  const port = await freePort();
  const config = `${folder}/nats.conf`;
  const store = `store_dir: "${folder}/nats", sync_interval: always, max_file_store: 20GB`;
  await writeFile(config, `listen: 127.0.0.1:${port}\njetstream { ${store} }\n`);
  const server = await startPeer([...options.under, 'nats-server', '-c', config], {
    port,
    hint: HINT,
  });
  const connection = await connect({ servers: `127.0.0.1:${port}` });
  const manager = await connection.jetstreamManager();
  for (const name of ['single', 'batches', 'live']) {
    await manager.streams.add({ name, subjects: [name], storage: StorageType.File });
  }
  const jetstream = connection.jetstream();
  const publish = (subject: string, body: Uint8Array) =>
    jetstream.publish(subject, body, { timeout: ACK_MS_MAX });
  const bodies = options.bodies.map((body) => Buffer.from(body));
  const lanesOf = (lanes: number, messages: number, send: () => Promise<unknown>): Lanes => ({
    messages,
    senders: Array.from({ length: lanes }, () => send),
    close: () => undefined,
  });
  return {
    name: 'NATS',
    durability: 'synced before the acknowledgement',
    pid: server.pid,
    singles: async (lanes) => lanesOf(lanes, 1, () => publish('single', SMALL)),
    batchForms: ['messages in flight'],
    batches: async (_form, lanes) =>
      lanesOf(lanes, bodies.length, () =>
        Promise.all(bodies.map((body) => publish('batches', body))),
      ),
    readForms: ['consumer'],
    read: (_form, count) => readAll(connection, count),
    follow: (followers, heard) => followAll(connection, { followers, heard }),
    publisher: async () => ({ send: (body) => publish('live', body), close: () => undefined }),
    end: async () => {
      await connection.close();
      await server.end();
    },
  };
}

async function readAll(connection: NatsConnection, count: number): Promise<void> {
  const consumer = await connection.jetstream().consumers.get('batches');
  const messages = await consumer.consume({ max_messages: 5_000 });
  let read = 0;
  for await (const message of messages) {
    if (message.seq !== ++read) throw new Error(`message ${message.seq} instead of ${read}`);
    if (message.data.length !== LARGE_BYTES) throw new Error(`${message.data.length} bytes`);
    if (read === count) break;
  }
}

async function followAll(
  connection: NatsConnection,
  { followers, heard }: { readonly followers: number; readonly heard: (body: string) => void },
) {
  const all = await Promise.all(
    Array.from({ length: followers }, async () => {
      const consumer = await connection
        .jetstream()
        .consumers.get('live', { deliver_policy: DeliverPolicy.New });
      return await consumer.consume({
        max_messages: 500,
        callback: (message) => heard(message.string()),
      });
    }),
  );
  return {
    stop: async () => {
      await Promise.all(all.map((messages) => messages.close()));
    },
  };
}
