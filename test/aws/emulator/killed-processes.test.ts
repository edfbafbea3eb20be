/**
 * Server processes that are killed again and again while others publish through them, and scheduled functions
 * while they seal, pack and drop segments: no message of a named publisher is lost or stored twice.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createAwsAudit } from '../../../lib/aws/audit-store.ts';
import { createAwsContext } from '../../../lib/aws/create-context.ts';
import { connect } from '../../../lib/client/connect.ts';
import { createPrometheusMeter } from '../../../lib/http/prometheus-meter.ts';
import type { AuditFinding } from '../../../lib/ports/audit.ts';
import { createSystemClock } from '../../../lib/process/system-clock.ts';
import { createSystemRandom } from '../../../lib/process/system-random.ts';
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
const MAINTAINERS = 2;
const KILLS = 8;
const MAINTAIN = fileURLToPath(new URL('./maintain-process.ts', import.meta.url));

let store: AwsStore;
const servers: ServerProcess[] = [];
const maintainers: ChildProcess[] = [];

async function start(port?: number): Promise<ServerProcess> {
  const { bucket, table } = store;
  const flags = ['--store', 'aws', '--bucket', bucket, '--table', table, '--linger', '5ms'];
  const place = port === undefined ? {} : { port };
  return await startServerProcess({ data: '', flags, environment: ENVIRONMENT, ...place });
}

function startMaintainer(): ChildProcess {
  const place = { VARVE_BUCKET: store.bucket, VARVE_TABLE: store.table };
  const env = { ...process.env, ...ENVIRONMENT, ...place };
  return spawn(process.execPath, [MAINTAIN], { stdio: 'ignore', env });
}

async function endMaintainer(maintainer: ChildProcess): Promise<void> {
  if (maintainer.exitCode !== null || maintainer.signalCode !== null) return;
  const gone = once(maintainer, 'exit');
  maintainer.kill('SIGKILL');
  await gone;
}

beforeAll(async () => {
  store = await createAwsStore();
  for (let n = 0; n < SERVERS; n++) servers.push(await start());
  for (let n = 0; n < MAINTAINERS; n++) maintainers.push(startMaintainer());
});

afterAll(async () => {
  for (const server of servers) await server.end();
  for (const maintainer of maintainers) await endMaintainer(maintainer);
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

/** Wherever it is: a function that is out of time ends no other way. */
async function killMaintainers(random: () => number, publishing: Publishing): Promise<void> {
  while (!publishing.isOver) {
    await new Promise((resolve) => setTimeout(resolve, 800 + random() * 800));
    const index = Math.floor(random() * MAINTAINERS);
    const victim = maintainers[index];
    if (victim === undefined) return;
    await endMaintainer(victim);
    maintainers[index] = startMaintainer();
  }
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
  const killing = killMaintainers(seededRandom(8), publishing);
  for (let kill = 0; kill < KILLS; kill++) await killAndRestart(random);
  publishing.isOver = true;
  const sent = await Promise.all(sending);
  await killing;

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
}, 150_000);

test('T14: what killed functions left half done is done by others, and all of it is sound', async () => {
  const segments = async () => {
    const answer = await fetch(`${servers[0]?.url}/v1/streams/s/segments?limit=1000`);
    const page: { segments: { state: string }[] } = JSON.parse(await answer.text());
    return page.segments.map(({ state }) => state);
  };
  await vi.waitFor(async () => expect((await segments()).slice(0, -1)).not.toContain('sealed'), {
    timeout: 60_000,
    interval: 500,
  });
  expect((await segments()).length).toBeGreaterThan(3);

  const { table, objects } = store.connect();
  const context = createAwsContext({
    table,
    objects,
    clock: createSystemClock(),
    random: createSystemRandom(),
    meter: createPrometheusMeter(),
    telemetry: { error: () => {} },
  });
  const findings: AuditFinding[] = [];
  const watcher = {
    found: (finding: AuditFinding) => void findings.push(finding),
    looked: () => {},
  };
  await createAwsAudit(context).run(watcher, new AbortController().signal);
  expect(findings).toEqual([]);
}, 150_000);
