/**
 * Server processes that are killed again and again while others publish through them: no message of a named
 * publisher is lost or stored twice, and unnamed ones at most once.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../../lib/client/connect.ts';
import { type AwsStore, createAwsStore } from '../../support/aws-store.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';

/** An emulator takes any. */
const ENVIRONMENT = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
};
const SERVERS = 2;
const PUBLISHERS = 8;
const KILLS = 8;

let store: AwsStore;
const servers: ServerProcess[] = [];

async function start(port?: number): Promise<ServerProcess> {
  const { bucket, table } = store;
  const flags = ['--store', 'aws', '--bucket', bucket, '--table', table, '--linger', '5ms'];
  const place = port === undefined ? {} : { port };
  return await startServerProcess({ data: '', flags, environment: ENVIRONMENT, ...place });
}

beforeAll(async () => {
  store = await createAwsStore();
  for (let n = 0; n < SERVERS; n++) servers.push(await start());
});

afterAll(async () => {
  for (const server of servers) await server.end();
  await store.drop();
});

/** One at a time, each at a random moment, and started again where it was. */
async function killAndRestart(random: () => number): Promise<void> {
  const index = Math.floor(random() * SERVERS);
  const victim = servers[index];
  if (victim === undefined) return;
  await new Promise((resolve) => setTimeout(resolve, 100 + random() * 400));
  await victim.end('SIGKILL');
  servers[index] = await start(victim.port);
}

interface Publishing {
  isOver: boolean;
}

/** Sends each message until some server says that it is stored. Gives how many it sent. */
async function publishNamed(number: number, publishing: Publishing): Promise<number> {
  let id = 0;
  for (let tries = 0; !publishing.isOver; tries++) {
    const url = servers[(number + tries) % SERVERS]?.url;
    const query = `publisher=p${number}&publishing_id=${id}`;
    try {
      const answer = await fetch(`${url}/v1/streams/s/messages?${query}`, {
        method: 'POST',
        body: `${number} ${id}`,
      });
      if (answer.ok) id++;
    } catch {
      // Nobody listens, or the connection broke: whether it was stored is not known.
    }
  }
  return id;
}

test('P2 D1: what a killed process acknowledged is there, and nothing twice', async () => {
  const create = await fetch(`${servers[0]?.url}/v1/streams/s`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{"segment_max_bytes": 1000}',
  });
  expect(create.status).toBe(201);
  const publishing: Publishing = { isOver: false };
  const sending = Array.from({ length: PUBLISHERS }, (_, n) => publishNamed(n, publishing));
  const random = seededRandom(7);
  for (let kill = 0; kill < KILLS; kill++) await killAndRestart(random);
  publishing.isOver = true;
  const sent = await Promise.all(sending);

  const url = servers[0]?.url ?? '';
  const bodies: string[] = [];
  for await (const { body } of connect({ url }).read({ stream: 's' })) {
    bodies.push(new TextDecoder().decode(body));
  }
  expect(new Set(bodies).size).toBe(bodies.length);
  for (const [number, count] of sent.entries()) {
    const own = bodies.filter((body) => body.startsWith(`${number} `));
    const acknowledged = Array.from({ length: count }, (_, id) => `${number} ${id}`);
    expect(own.slice(0, count)).toEqual(acknowledged);
    // The last one may have been stored without an answer.
    expect(own.length - count).toBeLessThanOrEqual(1);
  }
  expect(Math.min(...sent)).toBeGreaterThan(5);
});
