/** The built API function behind an HTTP API: every answer as a whole, and none too large for that. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, jsonOf, serveFunction } from '../support/function-front.ts';
import type { RunningFront } from '../support/lambda-runtime.ts';

let front: RunningFront;

beforeAll(async () => {
  front = await serveFunction('http-api');
});
afterAll(() => front.close());

const MIB = 1024 * 1024;

let streams = 0;
async function emptyStream(): Promise<string> {
  const stream = `/v1/streams/api-${++streams}`;
  await call(front, `PUT ${stream}`);
  return stream;
}

interface ReadPage {
  readonly messages: readonly { readonly offset: number; readonly base64?: string }[];
  readonly next: number;
  readonly tail: number;
}

/** All pages, by `next`. */
async function walk(stream: string, query: string): Promise<readonly ReadPage[]> {
  const pages: ReadPage[] = [];
  for (let from = 0, tail = 1; from < tail; ) {
    const answer = await call(front, `GET ${stream}/messages?from=${from}&${query}`);
    if (answer.status !== 200) throw new Error(`no page: ${answer.text}`);
    const page: ReadPage = JSON.parse(answer.text);
    pages.push(page);
    [from, tail] = [page.next, page.tail];
  }
  return pages;
}

describe('behind an HTTP API', () => {
  test('P8: what is published is read, text and bytes', async () => {
    const stream = await emptyStream();
    await call(front, `POST ${stream}/messages`, { body: 'ä' });
    const headers = { 'content-type': 'image/png' };
    await call(front, `POST ${stream}/messages`, { body: Uint8Array.of(0, 255, 128), headers });
    const page = jsonOf(await call(front, `GET ${stream}/messages`));
    const binary = await call(front, `GET ${stream}/messages?as=binary`);

    expect(page).toMatchObject({ messages: [{ text: 'ä' }, { base64: 'AP+A' }] });
    expect(Number(binary.headers['content-length'])).toBe(binary.bytes.length);
  });

  test.each(['as=sse', 'as=text&follow=true', 'as=ndjson&follow=true'])(
    'LR4: nothing can be followed, and the answer names what can be done: %s',
    async (query) => {
      const stream = await emptyStream();
      const answer = await call(front, `GET ${stream}/messages?${query}`);

      expect(answer.status).toBe(406);
      expect(jsonOf(answer)).toMatchObject({ code: 'not_acceptable', field: 'wait' });
    },
  );

  test('LR1: a wait ends with a message, or after what a function may wait', async () => {
    const stream = await emptyStream();
    const [waited] = await Promise.all([
      call(front, `GET ${stream}/messages?wait=20`),
      call(front, `POST ${stream}/messages`, { body: 'a' }),
    ]);
    const idle = await call(front, `GET ${stream}/messages?from=next&wait=20`);

    expect(jsonOf(waited)).toMatchObject({ messages: [{ text: 'a' }] });
    expect(jsonOf(idle)).toMatchObject({ messages: [], next: 1, poll_after_ms: 0 });
  });

  test('LR4: pages end before they are too large, and the walk misses nothing', async () => {
    const stream = await emptyStream();
    const headers = { 'content-type': 'application/octet-stream' };
    const body = Buffer.alloc(MIB - 1024, 255);
    for (let count = 0; count < 5; count++) {
      await call(front, `POST ${stream}/messages`, { body, headers });
    }
    const pages = await walk(stream, 'max_bytes=4194304');
    const messages = pages.flatMap((page) => page.messages);

    expect(pages.map((page) => page.messages.length)).toEqual([3, 2]);
    expect(messages.map(({ offset }) => offset)).toEqual([0, 1, 2, 3, 4]);
    expect(messages.every(({ base64 }) => base64 === body.toString('base64'))).toBe(true);
  });

  test('LR4 P6: the largest message fits, in text that takes the most as JSON', async () => {
    const stream = await emptyStream();
    const body = '\u0001'.repeat(MIB - 64);
    const published = await call(front, `POST ${stream}/messages`, { body });
    const [page] = await walk(stream, 'max_bytes=4194304');

    expect(published.status).toBe(200);
    expect(page?.messages[0]?.base64).toBe(Buffer.from(body).toString('base64'));
  });

  test('P6: a request of 4 MiB is taken, and one that the front refuses is not seen', async () => {
    const stream = await emptyStream();
    const headers = { 'content-type': 'application/vnd.varve.messages+ndjson' };
    const line = `${JSON.stringify({ text: 'a'.repeat(MIB - 1024) })}\n`;
    const taken = await call(front, `POST ${stream}/messages`, { body: line.repeat(4), headers });
    const refused = await call(front, `POST ${stream}/messages`, { body: line.repeat(6), headers });

    expect([taken.status, refused.status]).toEqual([200, 413]);
    expect(jsonOf(await call(front, `GET ${stream}`))).toMatchObject({ next: 4 });
  });

  test.each(['a%20b', 'a%252Fb', '%C3%A4', 'a%23b', 'a%5Cb', '%25'])(
    'P9: a name comes through, although its path is decoded on the way: %s',
    async (sent) => {
      const name = decodeURIComponent(sent);

      expect(jsonOf(await call(front, `PUT /v1/streams/${sent}`))).toMatchObject({ name });
    },
  );

  test('a HEAD and an answer without a body keep their status', async () => {
    const stream = await emptyStream();

    expect(await call(front, `HEAD ${stream}`)).toMatchObject({ status: 200, text: '' });
    expect((await call(front, `DELETE ${stream}`)).status).toBe(204);
  });

  test('a fault is a problem with the id of its request', async () => {
    const answer = await call(front, 'GET /v1/nothing', { headers: { 'x-request-id': 'mine' } });

    expect(answer.headers).toMatchObject({ 'content-type': 'application/problem+json' });
    expect(jsonOf(answer)).toMatchObject({ code: 'not_found', status: 404, request_id: 'mine' });
  });
});
