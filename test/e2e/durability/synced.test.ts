/**
 * Acknowledged means synced, proven from outside: of every publish the operating system saw its data
 * written to the log file, then a sync of that file return, then its answer sent (SPEC P2).
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { parseTrace, type TracedCall } from './traced-calls.ts';

const ALONE = 40;
const ROUNDS_TOGETHER = 10;
const TOGETHER = 16;
const TRACED = 'trace=fdatasync,fsync,pwrite64,write,writev,sendto,sendmsg';

let folder = '';
let calls: TracedCall[];
const markers: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'varve-synced-'));
  const trace = join(folder, 'trace.txt');
  const under = ['strace', '-f', '-y', '-s', '20000', '-e', TRACED, '-o', trace];
  const server = await startServerProcess({ data: join(folder, 'data'), under });
  try {
    for (let index = 0; index < ALONE; index++) await publish(server);
    for (let round = 0; round < ROUNDS_TOGETHER; round++) {
      await Promise.all(Array.from({ length: TOGETHER }, () => publish(server)));
    }
  } finally {
    // strace ends with the server it runs, and the trace is whole then.
    process.kill(tracedPid(server), 'SIGTERM');
    await server.ended();
  }
  calls = parseTrace(await readFile(trace, 'utf8'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function publish({ url }: ServerProcess): Promise<void> {
  const marker = `marker-${String(markers.length).padStart(6, '0')}-end`;
  markers.push(marker);
  const response = await fetch(`${url}/v1/streams/s/messages?create=true`, {
    method: 'POST',
    headers: { 'x-request-id': marker },
    body: `body-${marker}`,
  });
  expect(response.status).toBe(200);
  await response.arrayBuffer();
}

function tracedPid({ pid }: ServerProcess): number {
  return Number(
    execFileSync('ps', ['--ppid', String(pid), '-o', 'pid='])
      .toString()
      .trim(),
  );
}

test('P2: a sync of the written data returns before the answer to each publish begins', () => {
  const verdicts = markers.map(verdict);

  expect(verdicts.filter((text) => text !== 'synced before its answer')).toEqual([]);
  expect(verdicts.length).toBe(ALONE + ROUNDS_TOGETHER * TOGETHER);
});

function verdict(marker: string): string {
  const written = calls.find(
    ({ name, target, text }) =>
      name === 'pwrite64' && target.endsWith('-wal') && text.includes(`body-${marker}`),
  );
  if (written === undefined) return `${marker}: never written to the log file`;

  const answer = calls.find(({ target, text }) =>
    target.startsWith('TCP:') || target.startsWith('socket:')
      ? text.includes(`x-request-id: ${marker}`)
      : false,
  );
  if (answer === undefined) return `${marker}: no answer seen`;

  const synced = calls.some(
    ({ name, target, began, returned, result }) =>
      (name === 'fsync' || name === 'fdatasync') &&
      target === written.target &&
      result === 0 &&
      began > written.returned &&
      returned < answer.began,
  );
  return synced ? 'synced before its answer' : `${marker}: answered before its data was synced`;
}
