/** The application behind Lambda, by a clock that is moved by hand: what ends when. */
import { EventEmitter } from 'node:events';
import { describe, expect } from 'vitest';
import type { HttpEvent } from '../../../lib/http/lambda/http-event.ts';
import { createLambdaApp, type LambdaContext } from '../../../lib/http/lambda/lambda-app.ts';
import type { AnswerHead, AnswerStream } from '../../../lib/http/lambda/streamed-answer.ts';
import type { LocalApi } from '../../support/api.ts';
import { inProcess } from '../../support/api-test.ts';
import { createBrokenApi } from '../../support/faulty-api.ts';
import { createStream, publish, STREAM, texts } from '../../support/publish-steps.ts';

const test = inProcess('its hand on the clock');

const LIMITS = { waitMsMax: 5_000, followMsMax: 55_000 };

function eventOf(line: string): HttpEvent {
  const [method = '', url = ''] = line.split(' ');
  const [rawPath = '', rawQueryString = ''] = url.split('?');
  const headers = { host: '127.0.0.1' };
  return { rawPath, rawQueryString, headers, requestContext: { http: { method } } };
}

/** Of a function that the runtime ends after so long. */
function contextOf({ clock }: LocalApi, timeoutMs = 60_000): LambdaContext {
  const endMs = clock.elapsedMs() + timeoutMs;
  return { awsRequestId: 'r', getRemainingTimeInMillis: () => endMs - clock.elapsedMs() };
}

/** Takes what is written, unless it is told to take nothing. */
class TakingStream extends EventEmitter implements AnswerStream {
  head: AnswerHead | undefined;
  text = '';
  ended = false;
  destroyed = false;
  isFull = false;

  write(piece: Uint8Array | string): boolean {
    this.text += Buffer.from(piece).toString('utf8');
    return !this.isFull;
  }

  end(): void {
    this.ended = true;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

/** Until it waits for something. */
async function openStream(
  api: LocalApi,
  line: string,
  { timeoutMs, isFull = false }: { readonly timeoutMs?: number; readonly isFull?: boolean } = {},
) {
  const stream = new TakingStream();
  stream.isFull = isFull;
  const begin = (head: AnswerHead) => {
    stream.head = head;
    return stream;
  };
  const app = createLambdaApp(api.http, LIMITS);
  const done = app.stream(eventOf(line), contextOf(api, timeoutMs), { stream, begin });
  await api.clock.advance(0);
  return { stream, done };
}

describe('LR1: a wait', () => {
  test.for([
    { timeoutMs: 60_000, endsMs: 5_000 },
    { timeoutMs: 3_500, endsMs: 2_000 },
  ])('ends in time: $endsMs ms of $timeoutMs', async ({ timeoutMs, endsMs }, { api }) => {
    await createStream(api);
    const { stream, done } = await openStream(api, `GET ${STREAM}/messages?wait=20`, { timeoutMs });
    await api.clock.advance(endsMs - 1);
    expect(stream.ended).toBe(false);

    await api.clock.advance(1);
    await done;
    expect(JSON.parse(stream.text)).toMatchObject({ messages: [], poll_after_ms: 0 });
  });

  test('LR5: ends when its reader has gone, and reads nothing more', async ({ api }) => {
    await createStream(api);
    const { stream, done } = await openStream(api, `GET ${STREAM}/messages?wait=20`);
    expect(api.components.metrics.waitingReaders.value()).toBe(1);

    stream.destroy();
    await done;
    expect(api.components.metrics.waitingReaders.value()).toBe(0);
  });
});

describe('LR3: an event stream', () => {
  test.for([
    { timeoutMs: 60_000, endsMs: 55_000 },
    { timeoutMs: 11_500, endsMs: 10_000 },
  ])(
    'ends in time, with [DONE]: $endsMs ms of $timeoutMs',
    async ({ timeoutMs, endsMs }, { api }) => {
      await createStream(api);
      const { stream, done } = await openStream(api, `GET ${STREAM}/messages?as=sse`, {
        timeoutMs,
      });
      await api.clock.advance(endsMs - 1);
      expect([stream.head?.statusCode, stream.ended]).toEqual([200, false]);

      await api.clock.advance(1);
      await done;
      expect(stream.text.endsWith('id: -1,0,0\ndata: [DONE]\n\n')).toBe(true);
      expect(stream.ended).toBe(true);
    },
  );

  test('ends between its events too, however much there is to read', async ({ api }) => {
    await createStream(api);
    for (let count = 0; count < 3; count++) await publish(api, texts('a'.repeat(64 * 1024)));
    const line = `GET ${STREAM}/messages?as=sse`;
    const { stream, done } = await openStream(api, line, { isFull: true });
    await api.clock.advance(55_000);
    stream.isFull = false;
    stream.emit('drain');
    await done;

    expect(stream.text.match(/^event: batch$/gm)).toHaveLength(1);
    expect(stream.text).toMatch(/id: 0,1,[0-9]+\ndata: \[DONE\]\n\n$/);
  });

  test('whose reader takes nothing is cut before the runtime ends the instance', async ({
    api,
  }) => {
    await createStream(api);
    await publish(api, texts('a'));
    const line = `GET ${STREAM}/messages?as=sse`;
    const { stream, done } = await openStream(api, line, { isFull: true });
    await api.clock.advance(59_499);
    expect(stream.destroyed).toBe(false);

    await api.clock.advance(1);
    await done;
    expect(stream.destroyed).toBe(true);
    expect(api.components.metrics.followers.value()).toBe(0);
  });

  test('LR5: ends when its reader has gone', async ({ api }) => {
    await createStream(api);
    const { stream, done } = await openStream(api, `GET ${STREAM}/messages?as=sse`);
    expect(api.components.metrics.followers.value()).toBe(1);

    stream.destroy();
    await done;
    expect(api.components.metrics.followers.value()).toBe(0);
  });
});

describe('lines that are followed', () => {
  test('end in time, without a word', async ({ api }) => {
    await createStream(api);
    await publish(api, texts('a'));
    const { stream, done } = await openStream(api, `GET ${STREAM}/messages?as=text&follow=true`);
    await api.clock.advance(55_000);
    await done;

    expect([stream.text, stream.ended]).toEqual(['a\n', true]);
  });
});

test('what is no request is answered all the same', async ({ api }) => {
  const { stream, done } = await openStream(api, 'TRACE /v1/streams');
  await done;

  expect(stream.head?.statusCode).toBe(400);
  expect(JSON.parse(stream.text)).toMatchObject({ code: 'invalid_request', side_effects: 'none' });
});

test('a fault of the store is a problem here as well', async () => {
  const api = createBrokenApi(new Error('broken'), ['tail']);
  const app = createLambdaApp(api.http, LIMITS);
  const answer = await app.buffer(eventOf(`GET ${STREAM}/messages`), contextOf(api));

  expect(answer.statusCode).toBe(500);
  expect(JSON.parse(answer.body)).toMatchObject({ code: 'internal', request_id: 'r' });
});
