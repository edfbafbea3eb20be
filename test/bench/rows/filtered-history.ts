/**
 * Rare messages of a long stream: what a reader of them alone takes, beside one that reads everything. A hundred
 * runs of ten lie evenly in the history, which is packed by then; what is read from disk is counted by the kernel.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { decodeFrames, encodeFrameHeader, MESSAGES_TYPE } from '../../../lib/wire/frame.ts';
import { encodeRecords } from '../../../lib/wire/record.ts';
import { encodeRequest, RawConnection } from '../../support/raw-connection.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { BATCH } from '../messages.ts';

const MIB = 1024 * 1024;
const LANES = 4;
const RUNS = 100;
const IN_RUN = 10;
const PACKED_WITHIN_MS = 120_000;
const STREAM = '/v1/streams/history';
const PAGE = 'limit=10000&max_bytes=4194304&as=binary';

export interface FilteredHistoryOptions {
  readonly folder: string;
  readonly under: readonly string[];
  readonly bodies: readonly string[];
  readonly messages: number;
  progress(text: string): void;
}

export async function measureFilteredHistory(options: FilteredHistoryOptions) {
  const { folder, under, progress } = options;
  const server = await startServerProcess({ data: join(folder, 'filtered-history'), under });
  try {
    await call(server, 'PUT', STREAM);
    await publishHistory(server, options);
    progress('waiting until it is packed');
    await untilPacked(server);
    progress('reading the rare ones');
    const rare = await readAll(server, '&filter=rare');
    progress('reading everything');
    const all = await readAll(server, '');
    if (rare.messages !== RUNS * IN_RUN || all.messages !== options.messages) {
      throw new Error(`read ${rare.messages} rare messages of ${all.messages}`);
    }
    return {
      'all s': all.seconds,
      'all MiB read': all.mib,
      'rare s': rare.seconds,
      'rare MiB read': rare.mib,
      'rare pages': rare.pages,
      'times faster': all.seconds / rare.seconds,
      'share of the bytes': rare.mib / all.mib,
    };
  } finally {
    await server.end('SIGTERM');
  }
}

async function publishHistory(
  { port }: ServerProcess,
  { bodies, messages, progress }: FilteredHistoryOptions,
): Promise<void> {
  const [common, mixed] = [batchOf(bodies, 0), batchOf(bodies, IN_RUN)];
  const batches = Math.ceil(messages / BATCH);
  const apart = Math.floor(batches / RUNS);
  const connections = await Promise.all(
    Array.from({ length: LANES }, () => RawConnection.open(port)),
  );
  let sent = 0;
  const publish = async (connection: RawConnection) => {
    while (sent < batches) {
      if (sent % 1_000 === 0) progress(`writing history, ${sent} of ${batches} batches`);
      const isMixed = sent % apart === 0 && sent / apart < RUNS;
      sent++;
      await connection.send(isMixed ? mixed : common);
    }
  };
  await Promise.all(connections.map(publish));
  for (const connection of connections) connection.close();
}

/** The first ones of it are rare. */
function batchOf(bodies: readonly string[], rare: number): Buffer {
  const records = encodeRecords(
    bodies.map((body, index) => ({
      body: Buffer.from(body),
      contentType: 'application/json',
      headers: Buffer.from(`{"x-stream-filter-value":"${index < rare ? 'rare' : 'common'}"}`),
    })),
  );
  const body = Buffer.concat([encodeFrameHeader({ count: bodies.length, records }), records]);
  return encodeRequest({
    method: 'POST',
    path: `${STREAM}/messages`,
    contentType: MESSAGES_TYPE,
    body,
  });
}

/** All but what is active. */
async function untilPacked(server: ServerProcess): Promise<void> {
  for (const startMs = performance.now(); performance.now() - startMs < PACKED_WITHIN_MS; ) {
    const { segments } = await call(server, 'GET', `${STREAM}/segments?limit=1000`);
    if (Array.isArray(segments) && segments.every(({ state }) => state !== 'sealed')) return;
    await wait(200);
  }
  throw new Error(`not packed within ${PACKED_WITHIN_MS} ms`);
}

/** In pages, one after the other, as a reader that catches up. */
async function readAll(server: ServerProcess, filter: string) {
  const connection = await RawConnection.open(server.port);
  const before = await bytesRead(server.pid);
  const startMs = performance.now();
  let [messages, pages, from] = [0, 0, '0'];
  for (let isUpToDate = false; !isUpToDate; pages++) {
    const path = `${STREAM}/messages?from=${from}&${PAGE}${filter}`;
    const { head, body } = await connection.send(encodeRequest({ method: 'GET', path }));
    messages += decodeFrames(body).reduce((sum, { count }) => sum + count, 0);
    from = header(head, 'varve-next') ?? from;
    isUpToDate = header(head, 'varve-up-to-date') === 'true';
  }
  const seconds = (performance.now() - startMs) / 1_000;
  connection.close();
  return { seconds, messages, pages, mib: ((await bytesRead(server.pid)) - before) / MIB };
}

function header(head: string, name: string): string | undefined {
  return new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim();
}

/** By the process so far: files, and the little that it receives. */
async function bytesRead(pid: number): Promise<number> {
  const counters = await readFile(`/proc/${pid}/io`, 'utf8');
  return Number(/^rchar: ([0-9]+)$/m.exec(counters)?.[1]);
}

async function call(
  { url }: ServerProcess,
  method: string,
  path: string,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}${path}`, { method });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
  return JSON.parse(text);
}
