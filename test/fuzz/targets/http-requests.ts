/**
 * Requests over a real socket, damaged in any part, cut, and behind others on one connection. Every answer
 * is HTTP and no fault of the server; what it acknowledges is stored, what it refuses is not, and the next
 * client finds it well.
 */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { createApi, type LocalApi } from '../../support/api.ts';
import { type HttpResponse, parseResponses } from '../../support/http-responses.ts';
import { type Listening, listen } from '../../support/listen.ts';
import { exchange, openSocket, requestText } from '../../support/raw-exchange.ts';
import type { Chance } from '../chance.ts';
import { joinBytes } from '../mutate-bytes.ts';
import { damagedRequest, plainPublish } from '../random-request.ts';
import type { FuzzTarget } from '../run-rounds.ts';

/** A server of this process answers within a few turns of the loop: after so long it waits for more. */
const QUIET_MS = 15;

export const httpRequests: FuzzTarget = {
  name: 'http-requests',
  ciRounds: 200,
  async start() {
    const api = createApi();
    const server = await listen(api);
    await api.call('PUT /v1/streams/probe');
    return {
      round: (chance) => round(chance, { api, server }),
      async [Symbol.asyncDispose]() {
        await server[Symbol.asyncDispose]();
        await api.close();
      },
    };
  },
};

interface Service {
  readonly api: LocalApi;
  readonly server: Listening;
}

async function round(chance: Chance, { api, server }: Service): Promise<void> {
  // Of its own, since what the last round left unanswered may still come to be stored.
  const stream = `fuzzed-${chance.below(2 ** 32)}-stream`;
  await api.call('PUT /v1/streams/another');
  const declared = (await api.call(`PUT /v1/streams/${stream}`)).json();

  const before = chance.some(2, () => `whole ${chance.below(1_000)}`);
  const requests = [
    ...before.map((text) => plainPublish(chance, stream, text)),
    damagedRequest(chance, stream),
  ];
  const { bytes, isCut } = await send(
    await openSocket(server.port),
    chance,
    joinBytes(...requests),
  );
  const responses = parseResponses(bytes, isCut);
  try {
    checkResponses(responses);
    const acknowledged = checkBefore(responses, before);
    await checkStored(api, {
      responses,
      requests: requests.length,
      acknowledged,
      stream,
      id: declared['stream_id'],
    });
    await checkNextClient(server, chance.below(1_000_000));
    assert.deepEqual(api.errors, []);
  } catch (cause) {
    const sent = JSON.stringify(Buffer.concat(requests).toString('latin1'));
    const got = JSON.stringify(bytes.toString('latin1'));
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${reason}\nsent: ${sent}\nreceived: ${got}`, { cause });
  }
}

/** At once or in pieces, and then whatever comes until the server closes or has nothing more to say. */
async function send(socket: Socket, chance: Chance, sent: Uint8Array) {
  const received: Buffer[] = [];
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let quiet = setTimeout(resolve, 1_000, true);
  socket.on('data', (data) => {
    received.push(data);
    quiet.refresh();
  });
  // A server that has answered may reset what was sent behind that.
  socket.on('error', () => undefined);
  socket.once('close', () => resolve(false));
  const cut = chance.oneIn(3) ? chance.below(sent.length) : sent.length;
  for (const piece of [sent.subarray(0, cut), sent.subarray(cut)]) {
    await new Promise((written) => socket.write(piece, written));
    await new Promise(setImmediate);
  }
  clearTimeout(quiet);
  quiet = setTimeout(resolve, QUIET_MS, true);
  const isCut = await promise;
  clearTimeout(quiet);
  socket.destroy();
  return { bytes: Buffer.concat(received), isCut };
}

function checkResponses(responses: readonly HttpResponse[]): void {
  for (const { status, headers, body } of responses) {
    assert(status < 500, `status ${status}`);
    if (headers.get('content-type') !== 'application/problem+json') continue;
    const problem = JSON.parse(body);
    assert.equal(problem.status, status);
    assert.equal(problem.side_effects, 'none');
  }
}

/** Those that are whole are stored and acknowledged, if they are answered at all. */
function checkBefore(
  responses: readonly HttpResponse[],
  before: readonly string[],
): Acknowledged[] {
  return responses.slice(0, before.length).map(({ status, body }, index) => {
    assert.equal(status, 200, `publish ${index} was whole`);
    return { start: JSON.parse(body).start, text: before[index] };
  });
}

interface Acknowledged {
  readonly start: number;
  readonly text: string | undefined;
}

async function checkStored(
  api: LocalApi,
  told: {
    readonly responses: readonly HttpResponse[];
    readonly requests: number;
    readonly acknowledged: readonly Acknowledged[];
    readonly stream: string;
    readonly id: unknown;
  },
): Promise<void> {
  const page = (await api.call(`GET /v1/streams/${told.stream}/messages?as=ndjson`)).text;
  const stored = page
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  for (const { start, text } of told.acknowledged) assert.equal(stored[start]?.text, text);

  const ranges = told.responses.flatMap(({ status, body }) => {
    const answer = status === 200 && body.startsWith('{"start":') ? JSON.parse(body) : undefined;
    return answer?.stream_id === told.id && answer.start !== null ? [answer] : [];
  });
  const count = ranges.reduce((sum, { stored }) => sum + stored, 0);
  assert(stored.length >= count, 'less is stored than was acknowledged');
  const isAnswered = told.responses.length >= told.requests;
  if (!isAnswered) return;
  const offsets = ranges.flatMap(({ start, end }) =>
    Array.from({ length: end - start }, (_, index) => start + index),
  );
  assert.deepEqual(offsets, [...stored.keys()]);
}

async function checkNextClient({ port }: Listening, number: number): Promise<void> {
  const text = `probe ${number}`;
  const publish = requestText(
    'POST /v1/streams/probe/messages',
    [`content-length: ${text.length}`],
    text,
  );
  const { status, body } = await exchange(port, publish);
  assert.equal(status, 200);
  const read = `GET /v1/streams/probe/messages?as=text&from=${JSON.parse(body).start}`;
  assert.equal((await exchange(port, requestText(read))).body, `${text}\n`);
}
