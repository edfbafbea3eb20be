/**
 * A real server is killed without warning, many times, while segments end, are packed into files and dropped
 * under its publishers and readers (SPEC T3, T14).
 */
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFolderAudit } from '../../../lib/embedded/audit-folder.ts';
import type { AuditFinding } from '../../../lib/ports/audit.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { type Publishers, pause, startPublishers } from './recorded-publishers.ts';
import { type RetainedReader, startRetainedReader } from './retained-readers.ts';

const KILLS = 25;
/** Long enough for segments to end, be packed and dropped; how long differs, so that kills fall anywhere. */
const LIFE_MS_MAX = 1_000;
const MINUTES_5 = 300_000;
const BODY_BYTES = 8_192;
/** Large enough that they are packed into files. */
const SEGMENT_BYTES = 300_000;
const RETAINED_BYTES = 2_000_000;

let folder = '';
let server: ServerProcess;
let publishers: Publishers;
let readers: RetainedReader[];
/** First after each restart. */
const firsts: number[] = [];
let next = 0;
/** What is retained in the end, by offset. */
let log: ReadonlyMap<number, string>;
let described: { readonly bytes: number; readonly segments: number };
/** Files of packed segments that there were at any moment. */
const files = new Set<string>();

const stream = () => `${server.url}/v1/streams/s`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'varve-kill-'));
  server = await start();
  const declared = await fetch(stream(), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ segment_max_bytes: SEGMENT_BYTES, max_length_bytes: RETAINED_BYTES }),
  });
  expect(declared.status).toBe(201);
  publishers = startPublishers(stream, { bodyBytes: BODY_BYTES });
  readers = [startRetainedReader(stream, 500), startRetainedReader(stream, 3)];
  for (let kill = 0; kill < KILLS; kill++) await liveAndKill(kill);

  await publishers.stop();
  const end = await describeStream();
  ({ next } = end);
  described = end;
  log = await readRetained(end.first);
  await Promise.all(readers.map((reader) => reader.stop()));
  await server.end('SIGTERM');
}, MINUTES_5);

afterAll(async () => {
  await server?.end();
  await rm(folder, { recursive: true, force: true });
});

function start(port?: number): Promise<ServerProcess> {
  const flags = ['--maintain-every', '100ms'];
  return startServerProcess({ data: folder, flags, ...(port !== undefined && { port }) });
}

async function liveAndKill(kill: number): Promise<void> {
  const before = publishers.answered();
  while (publishers.answered() === before) await pause(1);
  await pause((kill * 137) % LIFE_MS_MAX);
  noteFiles();
  await server.end('SIGKILL');
  server = await start(server.port);
  firsts.push((await describeStream()).first);
}

function noteFiles(): void {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const name of names) if (/segments\/1\/[0-9]{20}-/.test(name)) files.add(name);
}

async function describeStream(): Promise<{
  first: number;
  next: number;
  bytes: number;
  segments: number;
}> {
  return JSON.parse(await (await fetch(stream())).text());
}

async function readRetained(first: number): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for (let from = first; ; ) {
    const response = await fetch(`${stream()}/messages?from=${from}&limit=10000&max_bytes=4194304`);
    const page: { messages: { offset: number; json: string }[]; next: number; gap?: object } =
      JSON.parse(await response.text());
    expect(page.gap).toBeUndefined();
    for (const { offset, json } of page.messages) found.set(offset, json);
    if (page.messages.length === 0) return found;
    from = page.next;
  }
}

test('T3: segments were packed and dropped, and no more of them than was asked for', () => {
  expect(files.size).toBeGreaterThan(5);
  expect(firsts.at(-1)).toBeGreaterThan(0);
  expect(described.bytes).toBeGreaterThanOrEqual(RETAINED_BYTES);
  // The oldest one that stays is needed to reach what is to be retained; a request may overfill one.
  expect(described.bytes).toBeLessThan(RETAINED_BYTES + 2 * (SEGMENT_BYTES + 7 * BODY_BYTES));
});

test('T5: what was dropped before a kill did not come back', () => {
  expect(firsts).toEqual([...firsts].sort((a, b) => a - b));
});

test('T14 P2: every acknowledged message that is retained is there, once, where it was answered', () => {
  const first = firsts.at(-1) ?? 0;
  const answered = publishers.logs.flatMap(({ sent }) =>
    sent.flatMap(({ bodies, start: base }) =>
      base === undefined ? [] : bodies.map((body, index) => ({ body, offset: base + index })),
    ),
  );
  expect(answered.length).toBeGreaterThan(KILLS);
  const retained = answered.filter(({ offset }) => offset >= first && log.has(offset));
  expect(retained.filter(({ body, offset }) => log.get(offset) !== body)).toEqual([]);
  expect(new Set(log.values()).size).toBe(log.size);
  expect([...log.keys()]).toEqual(
    Array.from({ length: log.size }, (_, index) => next - log.size + index),
  );
});

test('O16: readers saw each message once and in order, and were told of what was dropped before', () => {
  const answered = new Map(
    publishers.logs.flatMap(({ sent }) =>
      sent.flatMap(({ bodies, start: base }) =>
        base === undefined ? [] : bodies.map((body, index) => [base + index, body] as const),
      ),
    ),
  );
  for (const { seen, gaps, position } of readers) {
    expect(seen.size).toBeGreaterThan(0);
    const wrong = [...seen].filter(
      ([offset, body]) => answered.has(offset) && answered.get(offset) !== body,
    );
    expect(wrong).toEqual([]);
    const missed = gaps.reduce((sum, { missing }) => sum + missing, 0);
    expect(seen.size + missed).toBe(position());
  }
});

test('T14: the folder holds what is referred to, all of it sound', async () => {
  // What the last kill left goes with the first pass of the maintenance of the next server.
  server = await start();
  await pause(500);
  await server.end('SIGTERM');
  const { audit, close } = openFolderAudit(folder, { nowMs: () => Date.now() + 7_200_000 });
  const findings: AuditFinding[] = [];
  const looked = () => {};
  await audit.run(
    { found: (finding) => findings.push(finding), looked },
    new AbortController().signal,
  );
  close();

  expect(findings).toEqual([]);
});
