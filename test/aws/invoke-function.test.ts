/** Invoking a function by hand: signed as AWS wants it, and told when it was not taken. */
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createInvoke, signedHeaders } from '../../lib/aws/invoke-function.ts';

const CREDENTIALS = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'secret',
  sessionToken: 'token',
};
const clock = { nowMs: () => Date.UTC(2026, 0, 2, 3, 4, 5, 678) };

const hmac = (key: string | Buffer, text: string) =>
  createHmac('sha256', key).update(text).digest();
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('what is signed is the line, all headers that are sent, and the empty body', () => {
  const url = new URL('https://lambda.eu-west-1.amazonaws.com/2015-03-31/functions/f/invocations');
  const headers = signedHeaders(url, { region: 'eu-west-1', clock }, CREDENTIALS);
  const canonical = `POST
/2015-03-31/functions/f/invocations

host:lambda.eu-west-1.amazonaws.com
x-amz-date:20260102T030405Z
x-amz-invocation-type:Event
x-amz-security-token:token

host;x-amz-date;x-amz-invocation-type;x-amz-security-token
${sha256('')}`;
  const scope = '20260102/eu-west-1/lambda/aws4_request';
  const text = `AWS4-HMAC-SHA256\n20260102T030405Z\n${scope}\n${sha256(canonical)}`;
  const key = hmac(
    hmac(hmac(hmac('AWS4secret', '20260102'), 'eu-west-1'), 'lambda'),
    'aws4_request',
  );
  const signature = hmac(key, text).toString('hex');

  expect(headers['authorization']).toBe(
    `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/${scope}, SignedHeaders=host;x-amz-date;x-amz-invocation-type;x-amz-security-token, Signature=${signature}`,
  );
});

describe('an invocation', () => {
  async function serve(status: number) {
    const seen: { url: string | undefined; headers: IncomingHttpHeaders }[] = [];
    const server = createServer(({ url, headers }, response) => {
      seen.push({ url, headers });
      response.writeHead(status).end('{}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const invoke = createInvoke({
      region: 'local',
      functionName: 'varve-dev-deliver',
      endpoint: `http://127.0.0.1:${port}`,
      clock,
      credentials: async () => CREDENTIALS,
    });
    return { invoke, seen, close: () => server.close() };
  }

  test('is an event for the function of that name', async () => {
    const { invoke, seen, close } = await serve(202);
    await invoke();
    close();
    expect(seen).toMatchObject([
      {
        url: '/2015-03-31/functions/varve-dev-deliver/invocations',
        headers: { 'x-amz-invocation-type': 'Event', 'x-amz-security-token': 'token' },
      },
    ]);
  });

  test('that is refused is told', async () => {
    const { invoke, close } = await serve(403);
    await expect(invoke()).rejects.toThrow('invoking varve-dev-deliver was answered with 403');
    close();
  });
});
