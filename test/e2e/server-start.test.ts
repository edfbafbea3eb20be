/** The server process as whoever starts it sees it: what it says, and what keeps it from starting. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { APPLICATION_ID } from '../../lib/embedded/schema.ts';
import { startServerProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ENTRY = fileURLToPath(new URL('../../lib/server.ts', import.meta.url));

/** Runs a server that is not to start; gives its exit code and what it said. */
function failToStart(flags: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const { status, stderr, stdout } = spawnSync(process.execPath, [ENTRY, ...flags], {
    encoding: 'utf8',
    env: { ...process.env, ...environment },
    timeout: 20_000,
  });
  return { status, stdout, lines: stderr.trimEnd().split('\n') };
}

test('A6: the folder is 0700 and every file in it 0600', async () => {
  using folder = temporaryFolder();
  const data = join(folder.path, 'data');
  mkdirSync(data, { mode: 0o755 });
  const server = await startServerProcess({ data });
  await fetch(`${server.url}/v1/streams/s/messages?create=true`, { method: 'POST', body: 'x' });
  const modes = readdirSync(data).map((name) => statSync(join(data, name)).mode & 0o777);
  await server.end('SIGTERM');

  expect(statSync(data).mode & 0o777).toBe(0o700);
  expect(new Set(modes)).toEqual(new Set([0o600]));
});

test('a signal ends it cleanly, with a reader that waits and one that follows', async () => {
  using folder = temporaryFolder();
  const server = await startServerProcess({ data: folder.path });
  const stream = `${server.url}/v1/streams/s/messages`;
  await fetch(`${stream}?create=true`, { method: 'POST', body: 'x' });
  const waiting = fetch(`${stream}?from=next&wait=20`);
  const following = await fetch(`${stream}?as=sse`);
  const events = following.text();
  await fetch(`${server.url}/health/live`);
  await server.end('SIGTERM');

  expect((await waiting).status).toBe(200);
  expect(await events).toContain('event: batch');
  expect(await events).not.toContain('[DONE]');
  expect(server.errors()).toBe('');
});

test('what it acknowledged is there after a restart', async () => {
  using folder = temporaryFolder();
  const first = await startServerProcess({ data: folder.path });
  await fetch(`${first.url}/v1/streams/s/messages?create=true`, { method: 'POST', body: 'kept' });
  await first.end('SIGTERM');
  const second = await startServerProcess({ data: folder.path });
  const answer = await fetch(`${second.url}/v1/streams/s/messages?as=text`);
  const text = await answer.text();
  await second.end('SIGTERM');

  expect(text).toBe('kept\n');
});

test('a second server on the same folder, and a busy port, are told in one line', async () => {
  using folder = temporaryFolder();
  using other = temporaryFolder();
  const server = await startServerProcess({ data: folder.path });
  const sameFolder = failToStart(['--port', '0', '--data', folder.path]);
  const samePort = failToStart(['--port', String(server.port), '--data', other.path]);
  const alive = await fetch(`${server.url}/health/ready`);
  await server.end('SIGTERM');

  expect(alive.status).toBe(200);
  expect(sameFolder).toMatchObject({ status: 1, lines: [expect.stringContaining(folder.path)] });
  expect(samePort).toMatchObject({ status: 1, lines: [expect.stringContaining('is in use')] });
});

test.each<[fault: string, flags: string[], said: string]>([
  ['a port that is none', ['--port', 'abc'], '--port must be a number'],
  ['a port too high', ['--port', '65536'], '--port must be a number'],
  ['an unknown flag', ['--prot', '1'], '--prot'],
  ['A6: an address beyond this machine', ['--host', '0.0.0.0'], 'add --insecure'],
  ['A6: an origin that is none', ['--cors-origin', 'app.example'], 'is no origin'],
  ['A6: every origin', ['--cors-origin', '*'], 'add --insecure'],
  [
    'an address that is not here',
    ['--host', '192.0.2.1', '--insecure'],
    'cannot listen on 192.0.2.1',
  ],
])('%s ends it with one line', (_fault, flags, said) => {
  using folder = temporaryFolder();
  const { status, stdout, lines } = failToStart(['--data', folder.path, ...flags]);

  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(lines).toEqual([expect.stringContaining(said)]);
});

test('the environment sets what no flag sets', () => {
  using folder = temporaryFolder();
  const environment = { VARVE_HOST: '0.0.0.0', VARVE_DATA: folder.path, VARVE_PORT: '0' };

  expect(failToStart([], environment).lines).toEqual([expect.stringContaining('--host 0.0.0.0')]);
});

test.each<[fault: string, prepare: (folder: string) => string, said: RegExp]>([
  ['a file in place of the folder', aFile, /file/],
  ['a folder below a file', (folder) => join(aFile(folder), 'below'), /below/],
  ['a folder where none can be made', () => '/proc/varve', /cannot/],
  ['a folder of a newer version', (folder) => aDatabase(folder, { version: 99 }), /newer Varve/],
  ['a database of something else', (folder) => aDatabase(folder, { id: 1 }), /not a Varve/],
])('%s ends it with one line', (_fault, prepare, said) => {
  using folder = temporaryFolder();
  const data = prepare(folder.path);
  const { status, lines } = failToStart(['--port', '0', '--data', data]);

  expect({ status, count: lines.length }).toEqual({ status: 1, count: 1 });
  expect(lines[0]).toMatch(said);
});

function aFile(folder: string): string {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  return file;
}

function aDatabase(folder: string, { id = APPLICATION_ID, version = 1 }): string {
  const database = new DatabaseSync(join(folder, 'varve.db'));
  database.exec(
    `PRAGMA application_id = ${id}; PRAGMA user_version = ${version}; CREATE TABLE t (a)`,
  );
  database.close();
  return folder;
}

test('A6: --insecure serves any host and origin', async () => {
  using folder = temporaryFolder();
  const server = await startServerProcess({ data: folder.path, flags: ['--insecure'] });
  const answer = await fetch(`${server.url}/health/live`, {
    headers: { origin: 'https://evil.example' },
  });
  await server.end('SIGTERM');

  expect(answer.status).toBe(200);
});

test('A6: --cors-origin lets the pages of these origins in, and no others', async () => {
  using folder = temporaryFolder();
  const flags = ['--cors-origin', 'https://a.example,https://b.example'];
  const more = ['--cors-origin', 'https://c.example'];
  const server = await startServerProcess({ data: folder.path, flags: [...flags, ...more] });
  const call = async (origin: string) => {
    const { status, headers } = await fetch(`${server.url}/v1/streams`, { headers: { origin } });
    return [status, headers.get('access-control-allow-origin')];
  };
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map((n) => call(`https://${n}.example`)));
  await server.end('SIGTERM');

  expect(answers).toEqual([
    [200, 'https://a.example'],
    [200, 'https://b.example'],
    [200, 'https://c.example'],
    [403, null],
  ]);
});
