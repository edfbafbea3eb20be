/** `npm run audit` as an operator runs it: what it says, and how it ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startServerProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ENTRY = fileURLToPath(new URL('../../lib/audit.ts', import.meta.url));

async function audit(...flags: readonly string[]) {
  const child = spawn(process.execPath, [ENTRY, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = once(child, 'exit');
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await exit;
  return { code, out, errors };
}

function newFolder(): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  return folder.path;
}

/** Two segments of a MiB, of which the first one is packed. */
async function publishSegments(url: string): Promise<void> {
  const stream = `${url}/v1/streams/s`;
  const headers = { 'content-type': 'application/json' };
  await fetch(stream, { method: 'PUT', headers, body: '{"segment_max_bytes":1000000}' });
  for (let n = 0; n < 2; n++) {
    const body = 'x'.repeat(999_999) + n;
    await fetch(`${stream}/messages`, { method: 'POST', body });
  }
  await vi.waitFor(
    async () => {
      const segments = await (await fetch(`${stream}/segments`)).json();
      expect(segments).toMatchObject({ segments: [{ state: 'packed' }, { state: 'active' }] });
    },
    { timeout: 20_000, interval: 50 },
  );
}

test('T14: an audit of a folder tells by its exit code whether anything is wrong', async () => {
  const data = newFolder();
  const server = await startServerProcess({ data, flags: ['--maintain-every', '100ms'] });
  await publishSegments(server.url);

  expect(await audit('--data', data)).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /^1 streams, 2 messages, .*: 0 dangling, 0 hole, 0 corrupt, 0 orphan\n$/,
    ),
    errors: '',
  });
  await server.end('SIGTERM');

  const [file = ''] = readdirSync(join(data, 'segments', '1'));
  truncateSync(join(data, 'segments', '1', file), 1_000);
  expect(await audit('--data', data)).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^corrupt: .*segments\/1\/[0-9-]+.*\n1 streams.* 1 corrupt/),
  });
}, 60_000);

test.each([
  [['--data', '/nonexistent'], /varve audit: .*nonexistent.* is not there/],
  [['--store', 'aws'], /varve audit: --store aws needs --bucket/],
  [['--store', 'cloud'], /varve audit: --store must be embedded or aws/],
  [['--deep'], /varve audit: .*--deep/],
])('%j cannot be audited, which is exit code 2 and one line', async (flags, errors) => {
  expect(await audit(...flags)).toEqual({
    code: 2,
    out: '',
    errors: expect.stringMatching(errors),
  });
});
