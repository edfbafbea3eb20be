/** Requests that break behind others on one connection: each answer is that of its own request. */
import { once } from 'node:events';
import { expect } from 'vitest';
import { inProcess } from '../support/api-test.ts';
import { parseResponses } from '../support/http-responses.ts';
import { listen } from '../support/listen.ts';
import { createStream, readTexts, STREAM } from '../support/publish-steps.ts';
import { exchangeBytes, openSocket } from '../support/raw-exchange.ts';

const test = inProcess('a server of its own');

const HEAD = `POST ${STREAM}/messages HTTP/1.1\r\nhost: 127.0.0.1\r\n`;
const publish = (text: string, header = '') =>
  `${HEAD}${header}content-length: ${text.length}\r\n\r\n${text}`;

test.for([
  ['by the short way', publish('a') + publish('b')],
  ['by the long way', publish('a', 'x: 1\r\n') + publish('b', 'x: 1\r\n')],
] as const)(
  'P7: a publish before a broken request is acknowledged: %s',
  async ([, sent], { api }) => {
    await createStream(api);
    await using server = await listen(api);
    const bytes = await exchangeBytes(server.port, `${sent}no request\r\n\r\n`);
    const responses = parseResponses(bytes, false);

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 400]);
    expect(responses.map(({ body }) => JSON.parse(body).start)).toEqual([0, 1, undefined]);
    expect(await readTexts(api)).toEqual(['a', 'b']);
  },
);

test('P7: a publish before a broken body is not told that nothing was stored', async ({ api }) => {
  await createStream(api);
  await using server = await listen(api);
  const broken = `${HEAD}transfer-encoding: chunked\r\n\r\nx\r\nabc`;
  const bytes = await exchangeBytes(server.port, publish('a') + broken);

  expect(parseResponses(bytes, false)).toEqual([]);
  expect(await readTexts(api)).toEqual(['a']);
});

test('an answer that has begun goes on in front of a broken request', async ({ api }) => {
  await createStream(api);
  await using server = await listen(api);
  const socket = await openSocket(server.port);
  socket.write(`GET ${STREAM}/messages?as=sse&limit=1 HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
  const received = [...(await once(socket, 'data'))];
  socket.on('data', (data) => received.push(data));
  await new Promise((written) => socket.write('no request\r\n\r\n', written));
  await api.call(`POST ${STREAM}/messages`, { body: 'a' });
  await once(socket, 'close');
  const [events, refusal] = parseResponses(Buffer.concat(received), false);

  expect(events?.body).toMatch(/event: batch\n[\s\S]*data: \[DONE\]\n\n$/);
  expect(refusal?.status).toBe(400);
});
