/**
 * A server whose disk fills up, whose bytes change, whose database is cut: clear errors, no wrong data,
 * and everything else goes on. Needs root, to mount a small disk.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { startServerProcess } from '../../support/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

interface Told {
  readonly status: number;
  readonly text: string;
}

async function told(address: string, init: RequestInit = {}): Promise<Told> {
  const response = await fetch(address, init);
  return { status: response.status, text: await response.text() };
}

const publish = (url: string, stream: string, body: string) =>
  told(`${url}/v1/streams/${stream}/messages?create=true`, { method: 'POST', body });
const read = (url: string, stream: string, query = '') =>
  told(`${url}/v1/streams/${stream}/messages?as=text${query}`);

test('P7: a full disk refuses publishes, serves reads, and takes publishes again with room', async () => {
  using folder = temporaryFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', folder.path]);
  try {
    const server = await startServerProcess({ data: join(folder.path, 'data') });
    expect((await publish(server.url, 's', 'before')).status).toBe(200);
    const filler = join(folder.path, 'filler');
    const { bavail, bsize } = statfsSync(folder.path);
    writeFileSync(filler, Buffer.alloc(bavail * bsize));

    const refused = await publish(server.url, 's', 'on a full disk');
    expect(refused.status).toBe(503);
    expect(JSON.parse(refused.text)).toMatchObject({
      code: 'unavailable',
      retryable: true,
      side_effects: 'none',
    });
    expect(await read(server.url, 's')).toEqual({ status: 200, text: 'before\n' });

    rmSync(filler);
    expect((await publish(server.url, 's', 'after')).status).toBe(200);
    expect(await read(server.url, 's')).toEqual({ status: 200, text: 'before\nafter\n' });
    await server.end('SIGTERM');
  } finally {
    execFileSync('umount', [folder.path]);
  }
});

test('O16: a byte that changed on disk is an error, and never a wrong message', async () => {
  using folder = temporaryFolder();
  const first = await startServerProcess({ data: folder.path });
  for (const body of ['one', 'two', 'three']) await publish(first.url, 's', body);
  await publish(first.url, 'other', 'whole');
  await first.end('SIGTERM');
  const database = new DatabaseSync(join(folder.path, 'varve.db'));
  database.exec(
    "UPDATE run SET chunks = CAST(replace(chunks, 'two', 'too') AS BLOB) WHERE base = 1",
  );
  database.close();

  const server = await startServerProcess({ data: folder.path });
  const wrong = await read(server.url, 's', '&from=1');
  expect(wrong.status).toBe(500);
  expect(JSON.parse(wrong.text)).toMatchObject({ code: 'corrupt_data', side_effects: 'none' });
  expect(JSON.parse(wrong.text).detail).toMatch(/run at 1, chunk at 1/);
  expect(wrong.text).not.toContain(folder.path);
  expect(await read(server.url, 's', '&from=2')).toEqual({ status: 200, text: 'three\n' });
  expect(await read(server.url, 'other')).toEqual({ status: 200, text: 'whole\n' });
  expect((await publish(server.url, 's', 'four')).status).toBe(200);
  expect(server.errors()).toContain('corrupt_data');
  await server.end('SIGTERM');
});

test('a database that was cut while the server was away ends it with one line', async () => {
  using folder = temporaryFolder();
  const data = join(folder.path, 'data');
  mkdirSync(data);
  const first = await startServerProcess({ data });
  for (let index = 0; index < 50; index++)
    await publish(first.url, `s-${index}`, 'x'.repeat(3_000));
  await first.end('SIGTERM');
  truncateSync(join(data, 'varve.db'), 10_000);

  const failure = await startServerProcess({ data }).catch((error: Error) => error.message);
  expect(failure).toMatch(
    /ended with 1: varve: .*varve\.db is damaged.*: restore it from a backup\n$/,
  );
});
