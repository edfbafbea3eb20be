/**
 * A real server is killed without warning, many times, under publishers that know nothing but to send the same
 * request again, and under consumers with a filter. Values make each message one (SPEC M5, M6), and what a consumer
 * was told is stored stays stored (SPEC C1).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { pause } from './recorded-publishers.ts';

const KILLS = 20;
const LIFE_MS_MAX = 400;
const MINUTES_3 = 180_000;
const PUBLISHERS = 6;
const IN_REQUEST = 5;
const CONSUMERS = ['even', 'odd'] as const;

let folder = '';
let server: ServerProcess;
let isEnding = false;
let isPublished = false;
/** Bodies of requests that were answered at last. */
const published: string[] = [];
/** Requests of which a try was not answered. */
let repeated = 0;
let duplicates = 0;

interface Recorded {
  /** In the order they were given, with repeats. */
  readonly handled: number[];
  /** The highest offset that a commit was answered for. */
  committed: number;
  /** Answers that began below it. */
  readonly fallen: number[];
}

const consumers = new Map<string, Recorded>(
  CONSUMERS.map((name) => [name, { handled: [], committed: 0, fallen: [] }]),
);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'varve-kill-'));
  server = await startServerProcess({ data: folder });
  const deduplication = { cache_size: 100_000 };
  const declared = await call('PUT', '/v1/streams/s', { deduplication });
  expect(declared.status).toBe(201);
  const publishing = Array.from({ length: PUBLISHERS }, (_, lane) => publishOn(lane));
  const consuming = CONSUMERS.map(consumeOn);
  for (let kill = 0; kill < KILLS; kill++) {
    await pause(50 + ((kill * 137) % LIFE_MS_MAX));
    await server.end('SIGKILL');
    server = await startServerProcess({ data: folder, port: server.port });
  }
  isEnding = true;
  await Promise.all(publishing);
  isPublished = true;
  await Promise.all(consuming);
}, MINUTES_3);

afterAll(async () => {
  await server?.end('SIGTERM');
  await rm(folder, { recursive: true, force: true });
});

function call(method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
}

/** The answer, or undefined when there was none. */
async function answerOf(
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown> | undefined> {
  try {
    const response = await call(method, path, body);
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    if (response.status < 500) throw new Refused(text);
    return undefined;
  } catch (error) {
    if (error instanceof Refused) throw error;
    return undefined;
  }
}

class Refused extends Error {
  override readonly name = 'Refused';
}

/** Until each request is answered it is sent again as it is: no name, no ids. */
async function publishOn(lane: number): Promise<void> {
  for (let request = 0; !isEnding; request++) {
    const bodies = Array.from({ length: IN_REQUEST }, (_, index) => `${lane}-${request}-${index}`);
    const messages = bodies.map((text, index) => ({
      text,
      headers: {
        'x-deduplication-header': text,
        'x-stream-filter-value': (request + index) % 2 === 0 ? 'even' : 'odd',
      },
    }));
    for (let tries = 1; ; tries++) {
      const answer = await answerOf('POST', '/v1/streams/s/messages', { messages });
      if (answer !== undefined) {
        duplicates += Number(answer['duplicates']);
        break;
      }
      if (tries === 1) repeated++;
      await pause(5);
    }
    published.push(...bodies);
  }
}

/** Commits what it handled when it asks for more, until nothing comes any more. */
async function consumeOn(name: string): Promise<void> {
  const recorded = consumers.get(name);
  if (recorded === undefined) throw new Error(`no consumer ${name}`);
  for (let next: number | undefined; ; ) {
    const commit = next === undefined ? '' : `&commit=${next}`;
    const path = `/v1/streams/s/messages?consumer=${name}&filter=${name}&limit=7${commit}`;
    const wasPublished = isPublished;
    const page = await answerOf('GET', path);
    if (page === undefined) {
      // Another process of this name would know nothing of `next` either.
      next = undefined;
      await pause(5);
      continue;
    }
    note(recorded, page, next);
    next = Number(page['next']);
    if (wasPublished && page['up_to_date'] === true && recorded.committed === next) return;
  }
}

function note(recorded: Recorded, page: Record<string, unknown>, commit = 0): void {
  const { messages, resolved } = page;
  const { offset: start } = resolved as { offset: number };
  if (start < recorded.committed) recorded.fallen.push(start);
  recorded.committed = Math.max(recorded.committed, commit);
  const offsets = (messages as readonly { offset: number }[]).map(({ offset }) => offset);
  recorded.handled.push(...offsets);
}

interface StoredMessage {
  readonly offset: number;
  readonly text: string;
  readonly headers: { readonly 'x-stream-filter-value': string };
}

async function readAll(): Promise<readonly StoredMessage[]> {
  const all: StoredMessage[] = [];
  for (let from = 0; ; ) {
    const page = await answerOf('GET', `/v1/streams/s/messages?from=${from}&limit=10000`);
    if (page === undefined) throw new Error('no answer');
    all.push(...(page['messages'] as readonly StoredMessage[]));
    from = Number(page['next']);
    if (page['up_to_date'] === true) return all;
  }
}

test('M5 M6: whoever repeats until there is an answer stores each message once', async () => {
  const log = await readAll();

  expect(repeated).toBeGreaterThan(KILLS / 2);
  expect(duplicates).toBeGreaterThan(0);
  expect(log.map(({ text }) => text).sort()).toEqual([...published].sort());
});

test('C1 C4 F7: a consumer goes on at what was committed, and misses nothing that it wants', async () => {
  const log = await readAll();
  for (const [name, { handled, fallen }] of consumers) {
    const wanted = log.filter(({ headers }) => headers['x-stream-filter-value'] === name);

    expect(fallen).toEqual([]);
    expect([...new Set(handled)]).toEqual(wanted.map(({ offset }) => offset));
    expect(handled.length).toBeGreaterThan(wanted.length);
  }
});
