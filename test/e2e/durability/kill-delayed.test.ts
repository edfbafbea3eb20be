/**
 * A real server is killed without warning, many times, under publishers that hold messages which are due in seconds,
 * and cancel some. Each that was accepted is delivered once, and not before its time (SPEC L4, L5, L10).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { pause } from './recorded-publishers.ts';

const KILLS = 12;
const LIFE_MS_MAX = 900;
const PUBLISHERS = 4;
const IN_REQUEST = 5;
const DELAY_MS_MAX = 2_500;
/** Of those that are accepted, one in so many is cancelled. */
const CANCELLED = 7;
const MINUTES_2 = 120_000;

interface Held {
  readonly body: string;
  /** By the clock of this process, before it was sent first. */
  readonly sentMs: number;
  readonly delayMs: number;
}

interface Stored {
  readonly text: string;
  readonly timestamp: number;
  readonly properties: { readonly ingested_at: number };
}

let folder = '';
let server: ServerProcess;
let isEnding = false;
let isOver = false;
let repeated = 0;
const accepted: Held[] = [];
/** Answered 204: never to be seen. */
const cancelled = new Set<string>();
/** Not answered: seen or not. */
const perhaps = new Set<string>();
/** When a reader got each of `stored`, by the clock of this process. */
const readMs: number[] = [];
const stored: Stored[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'varve-kill-'));
  server = await startServerProcess({ data: folder });
  expect((await call('PUT', '/v1/streams/s')).status).toBe(201);
  const publishing = Array.from({ length: PUBLISHERS }, (_, lane) => publishOn(lane));
  const reading = readAll();
  for (let kill = 0; kill < KILLS; kill++) {
    await pause(200 + ((kill * 137) % LIFE_MS_MAX));
    await server.end('SIGKILL');
    server = await startServerProcess({ data: folder, port: server.port });
  }
  isEnding = true;
  await Promise.all(publishing);
  await untilNothingIsHeld();
  isOver = true;
  await reading;
}, MINUTES_2);

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

/** Undefined when there was no answer. */
async function tryCall(method: string, path: string, body?: object) {
  try {
    const response = await call(method, path, body);
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
}

/** Until each request is answered it is sent again: its publisher's ids make it one. */
async function publishOn(lane: number): Promise<void> {
  for (let request = 0; !isEnding; request++) {
    const sentMs = Date.now();
    const held = Array.from({ length: IN_REQUEST }, (_, index): Held => {
      const delayMs = 1 + ((request * 397 + index * 911 + lane * 131) % DELAY_MS_MAX);
      return { body: `${lane}-${request}-${index}`, sentMs, delayMs };
    });
    const messages = held.map(({ body: text, delayMs: delay_ms }) => ({ text, delay_ms }));
    const named = { publisher: `p${lane}`, publishing_id: request * IN_REQUEST };
    const answer = await untilAnswered({ messages, ...named });
    accepted.push(...held);
    const ids: readonly { readonly id: string; readonly index: number }[] = answer.held;
    if (request % CANCELLED === 0) await cancel(held, ids);
    await pause(10);
  }
}

async function untilAnswered(body: object) {
  for (let tries = 1; ; tries++) {
    const answer = await tryCall('POST', '/v1/streams/s/messages', body);
    if (answer?.status === 200) return JSON.parse(answer.text);
    if (answer !== undefined && answer.status < 500) throw new Error(answer.text);
    if (tries === 1) repeated++;
    await pause(5);
  }
}

async function cancel(
  held: readonly Held[],
  ids: readonly { readonly id: string; readonly index: number }[],
): Promise<void> {
  const [first] = ids;
  const body = first && held[first.index]?.body;
  if (first === undefined || body === undefined) return;
  const answer = await tryCall('DELETE', `/v1/delayed/${first.id}`);
  if (answer === undefined || answer.status >= 500) perhaps.add(body);
  else if (answer.status === 204) cancelled.add(body);
}

async function untilNothingIsHeld(): Promise<void> {
  for (;;) {
    const { items } = JSON.parse(await (await call('GET', '/v1/delayed?limit=1')).text());
    if (items.length === 0) return;
    await pause(100);
  }
}

/** What is stored, as it is, through all kills, until nothing is held and all of it is read. */
async function readAll(): Promise<void> {
  for (;;) {
    const isLast = isOver;
    const path = `/v1/streams/s/messages?from=${stored.length}&limit=10000&max_bytes=4194304`;
    const answer = await tryCall('GET', path);
    const { messages }: { messages: readonly Stored[] } =
      answer?.status === 200 ? JSON.parse(answer.text) : { messages: [] };
    const nowMs = Date.now();
    readMs.push(...messages.map(() => nowMs));
    stored.push(...messages);
    if (isLast && answer?.status === 200 && messages.length === 0) return;
    if (messages.length === 0) await pause(2);
  }
}

test('L5: each that was accepted is there once, but for those that were cancelled', () => {
  const bodies = stored.map(({ text }) => text);
  const expected = accepted.map(({ body }) => body).filter((body) => !cancelled.has(body));
  const missing = expected.filter((body) => !bodies.includes(body) && !perhaps.has(body));
  expect(missing).toEqual([]);
  expect(bodies).toHaveLength(new Set(bodies).size);
  const known = new Set(expected);
  expect(bodies.filter((body) => !known.has(body))).toEqual([]);
});

test('L4 L5: none before its time, all in the order in which they were due', () => {
  const delays = new Map(accepted.map(({ body, delayMs }) => [body, delayMs]));
  const dues = stored.map(({ text, timestamp, properties }) => {
    return { dueMs: properties.ingested_at + (delays.get(text) ?? 0), timestamp };
  });
  expect(dues.filter(({ dueMs, timestamp }) => timestamp < dueMs)).toEqual([]);
  const firstDues = new Map(accepted.map(({ body, sentMs, delayMs }) => [body, sentMs + delayMs]));
  const early = stored.filter(({ text }, at) => (readMs[at] ?? 0) < (firstDues.get(text) ?? 0));
  expect(early).toEqual([]);
  const chunks = Object.values(Object.groupBy(dues, ({ timestamp }) => timestamp));
  const isSorted = (some: readonly { readonly dueMs: number }[] = []) =>
    some.every(({ dueMs }, at) => at === 0 || (some[at - 1]?.dueMs ?? 0) <= dueMs);
  expect(chunks.every(isSorted)).toBe(true);
});

test('the kills came in the middle of it', () => {
  expect(repeated).toBeGreaterThan(PUBLISHERS);
  expect(cancelled.size).toBeGreaterThan(0);
  expect(accepted.length).toBeGreaterThan(1_000);
});
