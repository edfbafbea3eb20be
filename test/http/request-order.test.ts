import { once } from 'node:events';
import { expect, test } from 'vitest';
import { createApi } from '../support/api.ts';
import { listen } from '../support/listen.ts';
import { exchange, openSocket, requestText } from '../support/raw-exchange.ts';

const publish = (body: string, headers = '') =>
  `POST /v1/streams/s/messages HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: ${body.length}\r\n${headers}\r\n${body}`;

test('P3: what is sent one behind the other takes effect in that order', async () => {
  const api = createApi();
  await api.call('PUT /v1/streams/s');
  await using server = await listen(api);
  // The long way and the short one in turn, which take different times.
  const requests = Array.from({ length: 60 }, (_, index) =>
    publish(String(index), index % 3 === 0 ? 'varve-header-a: 1\r\n' : ''),
  );
  const answer = await exchange(
    server.port,
    requests.join('') + requestText('GET /v1/streams/s/messages?as=text'),
  );

  expect(answer.body.match(/HTTP\/1.1 200/g)).toHaveLength(60);
  expect(answer.body.split('\r\n\r\n').at(-1)).toBe(
    Array.from({ length: 60 }, (_, index) => `${index}\n`).join(''),
  );
});

test('LR5: what waits behind an answer that nobody takes is never begun', async () => {
  const api = createApi();
  await api.call('PUT /v1/streams/s');
  await using server = await listen(api);
  const socket = await openSocket(server.port);
  const wait = 'GET /v1/streams/s/messages?wait=20 HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n';
  socket.write(wait + publish('never'));
  while (api.clock.waiting() < 1) await new Promise((resolve) => setImmediate(resolve));
  socket.destroy();
  await once(socket, 'close');
  while (api.clock.waiting() > 0) await new Promise((resolve) => setImmediate(resolve));

  expect((await api.call('GET /v1/streams/s')).json()).toMatchObject({ next: 0 });
});
