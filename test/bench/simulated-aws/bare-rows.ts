/** A server that does nothing but wait for the same stores: what HTTP and this machine add by themselves. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { encodeRequest, RawConnection } from '../../support/raw-connection.ts';
import { SMALL } from '../messages.ts';
import type { Result } from '../results.ts';
import { figuresOf, repeatFor } from './measured.ts';
import { type RowOptions, sendTimes } from './publish-rows.ts';
import { createSlowStores, type SlowStores } from './slow-stores.ts';

export async function measureBare({
  seed,
  scale,
  seconds,
  warmUp,
}: RowOptions): Promise<Result['figures']> {
  const stores = createSlowStores(seed);
  const server = await listen(stores);
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const connection = await RawConnection.open(port);
  try {
    const request = encodeRequest({ method: 'POST', path: '/', body: SMALL });
    const senders = [() => connection.send(request)];
    await sendTimes(senders, warmUp);
    stores.setScale(scale);
    return figuresOf(await repeatFor(senders, seconds), stores.storeTime);
  } finally {
    connection.close();
    server.close();
  }
}

/** As a publish does: an object, then an item. */
async function listen(stores: SlowStores) {
  const answer = '{"start":1}';
  const head = { 'content-type': 'application/json', 'content-length': answer.length };
  let count = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', async () => {
      await stores.objects.put(`object-${count++}`, SMALL);
      await stores.table.put({ item: { k: { S: 'k' }, s: { S: 's' } } }, 'once');
      response.writeHead(200, head).end(answer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
