/** A real server is killed without warning, many times, under publishers and readers (SPEC P1, P2). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { type Publishers, pause, type Sent, startPublishers } from './recorded-publishers.ts';
import { type RecordedReader, startReader } from './recorded-readers.ts';

const KILLS = 50;
/** A life is long enough for some commits; how long differs, so that kills fall anywhere in one. */
const LIFE_MS_MAX = 60;
const MINUTES_5 = 300_000;

let folder = '';
let server: ServerProcess;
let publishers: Publishers;
let readers: RecordedReader[];
/** Of each kill: how many requests had no answer. */
const unanswered: number[] = [];
/** The whole log after the last restart, read at once. */
let log: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'varve-kill-'));
  server = await startServerProcess({ data: folder });
  const stream = () => `${server.url}/v1/streams/s`;
  const headers = { 'content-type': 'application/json' };
  const body = '{"segment_max_bytes": 4096}';
  const declared = await fetch(stream(), { method: 'PUT', headers, body });
  expect(declared.status).toBe(201);
  publishers = startPublishers(stream);
  readers = [
    startReader(stream, 'limit=500&wait=1'),
    startReader(stream, 'follow=true'),
    startReader(stream, 'limit=3&wait=1'),
  ];
  for (let kill = 0; kill < KILLS; kill++) await liveAndKill(kill);

  await publishers.stop();
  log = await readAll(stream());
  await until(() => readers[1]?.bodies.length === log.length);
  await Promise.all(readers.map((reader) => reader.stop()));
}, MINUTES_5);

afterAll(async () => {
  await server?.end();
  await rm(folder, { recursive: true, force: true });
});

async function liveAndKill(kill: number): Promise<void> {
  const before = publishers.answered();
  await until(() => publishers.answered() > before);
  await pause((kill * 17) % LIFE_MS_MAX);
  await until(() => publishers.inFlight() > 0);
  unanswered.push(publishers.inFlight());
  await server.end('SIGKILL');
  server = await startServerProcess({ data: folder, port: server.port });
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

async function readAll(stream: string): Promise<string[]> {
  const bodies: string[] = [];
  for (;;) {
    const response = await fetch(`${stream}/messages?from=${bodies.length}&limit=10000`);
    const page: { messages: { offset: number; json: string }[]; up_to_date: boolean } = JSON.parse(
      await response.text(),
    );
    for (const { offset, json } of page.messages) {
      expect(offset).toBe(bodies.length);
      bodies.push(json);
    }
    if (page.up_to_date) return bodies;
  }
}

/** Requests whose answer never came, of publishers that did not repeat them. */
function unknown(): Sent[] {
  const plain = publishers.logs.filter(({ isNamed }) => !isNamed);
  return plain.flatMap(({ sent }) => sent.filter(({ start }) => start === undefined));
}

test('P2: every acknowledged message is there, once, at the offset that was answered', () => {
  const answered = publishers.logs
    .flatMap(({ sent }) => sent)
    .filter((sent) => sent.start !== undefined);

  expect(answered.length).toBeGreaterThan(KILLS);
  const wrong = answered.filter(({ bodies, start = 0 }) =>
    bodies.some((body, index) => log[start + index] !== body),
  );
  expect(wrong).toEqual([]);
  expect(new Set(log).size).toBe(log.length);
});

test('P1 P7: a request without an answer is there as a whole or not at all, and both happened', () => {
  const stored = new Set(log);
  const shares = unknown().map(
    ({ bodies }) => bodies.filter((body) => stored.has(body)).length / bodies.length,
  );

  expect(unanswered.every((count) => count >= 1)).toBe(true);
  expect(shares.filter((share) => share !== 0 && share !== 1)).toEqual([]);
  expect(shares.filter((share) => share === 1).length).toBeGreaterThan(0);
  expect(shares.filter((share) => share === 0).length).toBeGreaterThan(0);
});

test('P1: the messages of a request stand next to each other, in order', () => {
  const places = new Map(log.map((body, offset) => [body, offset]));
  const torn = publishers.logs
    .flatMap(({ sent }) => sent)
    .filter(({ bodies }) => {
      const [first] = bodies.map((body) => places.get(body));
      return (
        first !== undefined && bodies.some((body, index) => places.get(body) !== first + index)
      );
    });

  expect(torn).toEqual([]);
});

test('D1 D6: a named publisher that repeats what was not answered has every id stored once, in order', () => {
  for (const { name, isNamed, sent } of publishers.logs) {
    if (!isNamed) continue;
    const stored = log.filter((body) => body.startsWith(`${name}/`));
    expect(stored).toEqual(sent.flatMap(({ bodies }) => bodies));
  }
});

test('P8 O13: every reader saw a prefix of the final log, and went on after the kills', () => {
  for (const { bodies, resumed } of readers) {
    expect(bodies).toEqual(log.slice(0, bodies.length));
    expect(bodies.length).toBeGreaterThan(0);
    expect(resumed()).toBeGreaterThan(KILLS / 2);
  }
});
