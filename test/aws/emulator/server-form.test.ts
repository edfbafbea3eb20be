/** The server in front of S3 and DynamoDB: real processes that share a bucket and a table. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../../lib/client/connect.ts';
import { type AwsStore, createAwsStore } from '../../support/aws-store.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';

/** An emulator takes any. */
const ENVIRONMENT = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
};

let store: AwsStore;
const servers: ServerProcess[] = [];

beforeAll(async () => {
  store = await createAwsStore();
  const { bucket, table } = store;
  const flags = ['--store', 'aws', '--bucket', bucket, '--table', table, '--linger', '20ms'];
  const start = () => startServerProcess({ data: '', flags, environment: ENVIRONMENT });
  servers.push(...(await Promise.all([start(), start()])));
});

afterAll(async () => {
  for (const server of servers) await server.end('SIGTERM');
  await store.drop();
});

const urlOf = (index: number) => servers[index]?.url ?? '';

/** How many requests of this kind a server has sent. */
async function sent(index: number, operation: string): Promise<number> {
  const metrics = await (await fetch(`${urlOf(index)}/metrics`)).text();
  const lines = metrics.split('\n').filter((line) => {
    return line.startsWith('varve_aws_requests_total{') && line.includes(`"${operation}"`);
  });
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

test('P1: small publishes that come together share their puts', async () => {
  const url = `${urlOf(0)}/v1/streams/shared/messages`;
  await fetch(`${url}?create=true`, { method: 'POST', body: 'first' });
  const before = await sent(0, 'PutObject');
  const [writers, each] = [64, 10];
  const offsets: number[] = [];
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let n = 0; n < each; n++) {
        const answer = await fetch(url, { method: 'POST', body: `${writer} ${n}` });
        const { start } = (await answer.json()) as { start: number };
        offsets.push(start);
      }
    }),
  );

  const puts = (await sent(0, 'PutObject')) - before;
  expect(offsets.sort((a, b) => a - b)).toEqual(
    Array.from({ length: writers * each }, (_, index) => index + 1),
  );
  expect(puts).toBeGreaterThan(0);
  expect(puts).toBeLessThan((writers * each) / 8);
});

test('P8 LR2: what one process acknowledged the other reads, and tells its followers', async () => {
  await fetch(`${urlOf(0)}/v1/streams/both/messages?create=true`, { method: 'POST', body: '0' });
  const followed: string[] = [];
  const following = (async () => {
    const other = connect({ url: urlOf(1) });
    for await (const { body } of other.follow({ stream: 'both' })) {
      followed.push(new TextDecoder().decode(body));
      if (followed.length === 40) return;
    }
  })();
  for (let n = 1; n < 40; n++) {
    const [writing, reading] = [urlOf(n % 2), urlOf(1 - (n % 2))];
    const body = String(n);
    await fetch(`${writing}/v1/streams/both/messages`, { method: 'POST', body });
    const page = await (await fetch(`${reading}/v1/streams/both/messages?from=${n}`)).json();
    expect(page).toMatchObject({ messages: [{ offset: n, text: body }], next: n + 1 });
  }
  await following;

  expect(followed).toEqual(Array.from({ length: 40 }, (_, n) => String(n)));
});
