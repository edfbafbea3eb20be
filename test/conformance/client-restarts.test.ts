/** Publisher and follower of the client library go on while a real server is killed and started again. */
import { expect, onTestFinished } from 'vitest';
import { connect } from '../../lib/client/connect.ts';
import type { Message } from '../../lib/client/message.ts';
import { inProcess } from '../support/api-test.ts';
import { bodies, offsets } from '../support/client-api.ts';
import { range } from '../support/read-steps.ts';
import { startServerProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const test = inProcess('a server of its own');

const TOTAL = 3_000;
const KILLS = 3;

test('P2 D12 O13: over kills of the server nothing is lost, doubled or out of order', async () => {
  using folder = temporaryFolder();
  let server = await startServerProcess({ data: folder.path });
  onTestFinished(() => server.end());
  const client = connect({ url: server.url, retry: { attempts: 500, firstMs: 5, maxMs: 50 } });
  const publisher = client.publisher({ stream: 's', name: 'p', create: true, maxBatch: 50 });
  await publisher.publish({ json: 0 });
  const seen: Message[] = [];
  const following = (async () => {
    for await (const message of client.follow({ stream: 's' })) {
      seen.push(message);
      if (seen.length === TOTAL) return;
    }
  })();

  const published = range(1, TOTAL).map((json) => publisher.publish({ json }));
  for (const kill of range(1, KILLS + 1)) {
    await published[kill * 500];
    await server.end('SIGKILL');
    server = await startServerProcess({ data: folder.path, port: server.port });
  }
  const outcomes = await Promise.all(published);
  await following;
  await publisher.close();

  expect(outcomes.map(({ offset }) => offset)).toEqual(range(1, TOTAL));
  expect(offsets(seen)).toEqual(range(0, TOTAL));
  expect(bodies(seen)).toEqual(range(0, TOTAL).map(String));
});

test('D8 D12: another publisher of that name goes on behind what is stored', async () => {
  using folder = temporaryFolder();
  const first = await startServerProcess({ data: folder.path });
  const options = { stream: 's', name: 'p', create: true };
  await connect({ url: first.url }).publisher(options).publish({ text: 'a' });
  await first.end('SIGKILL');
  const second = await startServerProcess({ data: folder.path });
  const outcome = await connect({ url: second.url }).publisher(options).publish({ text: 'b' });
  await second.end();

  expect(outcome).toMatchObject({ outcome: 'stored', offset: 1, publishingId: 1 });
});
