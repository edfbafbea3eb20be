/** Redis streams with `appendfsync always`: writes of one turn of its loop are synced together. */
import { mkdir } from 'node:fs/promises';
import { Redis } from 'ioredis';
import type { Contender, Lanes } from '../contender.ts';
import { LARGE_BYTES, SMALL } from '../messages.ts';
import { freePort, startPeer } from './peer-process.ts';

const HINT = 'redis-server is not here (Debian: apt-get install redis-server)';
const PAGE = 1_000;
const HOST = '127.0.0.1';

export async function startRedis(
  folder: string,
  options: { readonly under: readonly string[]; readonly bodies: readonly string[] },
): Promise<Contender> {
  const port = await freePort();
  const data = `${folder}/redis`;
  await mkdir(data);
  const flags = ['--bind', HOST, '--port', String(port), '--dir', data, '--save', ''];
  const synced = ['--appendonly', 'yes', '--appendfsync', 'always'];
  const command = [...options.under, 'redis-server', ...flags, ...synced];
  const server = await startPeer(command, { port, hint: HINT });
  const redis = new Redis(port, HOST);
  const lanesOf = (lanes: number, messages: number, send: () => Promise<unknown>): Lanes => ({
    messages,
    senders: Array.from({ length: lanes }, () => send),
    close: () => undefined,
  });
  return {
    name: 'Redis',
    durability: 'synced before the answer, all data in memory too',
    pid: server.pid,
    singles: async (lanes) => lanesOf(lanes, 1, () => redis.xadd('single', '*', 'd', SMALL)),
    batchForms: ['pipeline'],
    batches: async (_form, lanes) =>
      lanesOf(lanes, options.bodies.length, async () => {
        const pipeline = redis.pipeline();
        for (const body of options.bodies) pipeline.xadd('batches', '*', 'd', body);
        const failed = (await pipeline.exec())?.find(([error]) => error !== null);
        if (failed !== undefined) throw failed[0];
      }),
    readForms: ['XRANGE'],
    read: (_form, count) => readAll(redis, count),
    follow: (followers, heard) => followAll(port, { followers, heard }),
    publisher: async () => ({
      send: (body) => redis.xadd('live', '*', 'd', body),
      close: () => undefined,
    }),
    end: async () => {
      redis.disconnect();
      await server.end();
    },
  };
}

async function readAll(redis: Redis, count: number): Promise<void> {
  let [read, from] = [0, '-'];
  while (read < count) {
    const entries = await redis.xrangeBuffer('batches', from, '+', 'COUNT', PAGE);
    if (entries.length === 0) throw new Error(`read ${read} of ${count}`);
    for (const [id, [, body]] of entries) {
      if (body?.length !== LARGE_BYTES) throw new Error(`${body?.length} bytes at ${id}`);
    }
    read += entries.length;
    from = `(${entries.at(-1)?.[0].toString()}`;
  }
}

async function followAll(
  port: number,
  { followers, heard }: { readonly followers: number; readonly heard: (body: string) => void },
) {
  const all = Array.from({ length: followers }, () => new Redis(port, HOST));
  await Promise.all(all.map((redis) => redis.ping()));
  for (const redis of all) void followOne(redis, heard);
  return {
    stop: () => {
      for (const redis of all) redis.disconnect();
    },
  };
}

/** Ends when its connection does. */
async function followOne(redis: Redis, heard: (body: string) => void): Promise<void> {
  try {
    for (let last = '$'; ; ) {
      const streams = await redis.xread('COUNT', PAGE, 'BLOCK', 2_000, 'STREAMS', 'live', last);
      for (const [id, [, body = '']] of streams?.[0]?.[1] ?? []) {
        heard(body);
        last = id;
      }
    }
  } catch {}
}
