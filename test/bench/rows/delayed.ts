/**
 * Delayed messages: how fast they are accepted, what a backlog of them takes, how long those need that are due at
 * once, and how late each is stored that is due at a time of its own (SPEC L11). One server, over HTTP, synced.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { encodeRequest, RawConnection } from '../../support/raw-connection.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { memoryOf } from '../memory.ts';

const MIB = 1024 * 1024;
const LANES = 64;
/** Of a request: as many as it may hold. */
const TOGETHER = 99;
const BODY = 'x'.repeat(256);
const DAY_MS = 86_400_000;
const DUE_AT_ONCE = 10_000;
const PER_SECOND = 1_000;
const STREAM = '/v1/streams/delayed';
const TYPE = 'application/json';

export interface DelayedOptions {
  readonly folder: string;
  readonly under: readonly string[];
  readonly seconds: number;
  /** Messages that wait while others are released. */
  readonly backlog: number;
  progress(text: string): void;
}

export async function measureDelayed(options: DelayedOptions) {
  const { folder, under, backlog, progress } = options;
  const data = join(folder, 'delayed');
  const server = await startServerProcess({ data, under });
  try {
    await fetch(`${server.url}${STREAM}`, { method: 'PUT' });
    const lanes = await Promise.all(
      Array.from({ length: LANES }, () => RawConnection.open(server.port)),
    );
    const before = await memoryOf(server.pid);
    progress('accepting, one a request');
    const singles = await accept(lanes, { together: 1, seconds: options.seconds });
    const bytesBefore = await folderBytes(data);
    const held = await hold(lanes, { count: backlog, progress });
    const after = await memoryOf(server.pid);
    const bytes = (await folderBytes(data)) - bytesBefore;
    progress('releasing what is due at once');
    const released = await releaseAtOnce(server, lanes);
    progress('releasing each at its time');
    const late = await lateness(server, lanes, options.seconds);
    for (const lane of lanes) lane.close();
    return {
      'accepted/s, one a request': singles,
      [`accepted/s, ${TOGETHER} a request`]: held,
      'RSS MiB before': before.residentMib,
      'RSS MiB with the backlog': after.residentMib,
      'disk B a message': bytes / backlog,
      [`${DUE_AT_ONCE} due at once, ms`]: released,
      'late p50 ms': late.p50,
      'late p99 ms': late.p99,
      'late max ms': late.max,
    };
  } finally {
    await server.end('SIGTERM');
  }
}

/** A publish of so many messages that are all due then. */
function request(
  count: number,
  due: { readonly delay_ms: number } | { readonly deliver_at: number },
) {
  const messages = Array.from({ length: count }, () => ({ text: BODY, ...due }));
  const body = Buffer.from(JSON.stringify({ messages }));
  return encodeRequest({ method: 'POST', path: `${STREAM}/messages`, contentType: TYPE, body });
}

async function accept(
  lanes: readonly RawConnection[],
  { together, seconds }: { readonly together: number; readonly seconds: number },
): Promise<number> {
  const publish = request(together, { delay_ms: 30 * DAY_MS });
  const startMs = performance.now();
  let accepted = 0;
  await Promise.all(
    lanes.map(async (lane) => {
      while (performance.now() - startMs < seconds * 1000) {
        await lane.send(publish);
        accepted += together;
      }
    }),
  );
  return (accepted * 1000) / (performance.now() - startMs);
}

async function hold(
  lanes: readonly RawConnection[],
  { count, progress }: { readonly count: number; progress(text: string): void },
): Promise<number> {
  const publish = request(TOGETHER, { delay_ms: 30 * DAY_MS });
  const requests = Math.ceil(count / TOGETHER);
  const startMs = performance.now();
  let sent = 0;
  await Promise.all(
    lanes.map(async (lane) => {
      while (sent < requests) {
        if (sent % 1_000 === 0) progress(`holding, ${sent * TOGETHER} of ${count}`);
        sent++;
        await lane.send(publish);
      }
    }),
  );
  return (requests * TOGETHER * 1000) / (performance.now() - startMs);
}

/** From when they are due until the last of them can be read. */
async function releaseAtOnce(
  server: ServerProcess,
  lanes: readonly RawConnection[],
): Promise<number> {
  const dueMs = Date.now() + 4_000;
  const before = await nextOffset(server);
  const publish = request(TOGETHER, { deliver_at: dueMs });
  const requests = Math.ceil(DUE_AT_ONCE / TOGETHER);
  let sent = 0;
  await Promise.all(
    lanes.map(async (lane) => {
      while (sent < requests) {
        sent++;
        await lane.send(publish);
      }
    }),
  );
  if (Date.now() >= dueMs) throw new Error('they were due before all were accepted');
  await wait(dueMs - Date.now());
  const end = before + requests * TOGETHER;
  while ((await nextOffset(server)) < end) await wait(1);
  return Date.now() - dueMs;
}

/** Of messages that are due one each millisecond, in the order in which they are. */
async function lateness(
  server: ServerProcess,
  lanes: readonly RawConnection[],
  seconds: number,
): Promise<{ readonly p50: number; readonly p99: number; readonly max: number }> {
  const count = Math.ceil((PER_SECOND * seconds) / TOGETHER) * TOGETHER;
  const from = await nextOffset(server);
  const firstMs = Date.now() + 3_000;
  const bodies = Array.from({ length: count / TOGETHER }, (_, at) => {
    const messages = Array.from({ length: TOGETHER }, (__, index) => ({
      text: BODY,
      deliver_at: firstMs + at * TOGETHER + index,
    }));
    return Buffer.from(JSON.stringify({ messages }));
  });
  let sent = 0;
  await Promise.all(
    lanes.map(async (lane) => {
      for (let body = bodies[sent++]; body !== undefined; body = bodies[sent++]) {
        const path = `${STREAM}/messages`;
        await lane.send(encodeRequest({ method: 'POST', path, contentType: TYPE, body }));
      }
    }),
  );
  if (Date.now() >= firstMs) throw new Error('they were due before all were accepted');
  while ((await nextOffset(server)) < from + count) await wait(50);
  const late: number[] = [];
  for (let offset = from; offset < from + count; ) {
    const page = await fetch(
      `${server.url}${STREAM}/messages?from=${offset}&limit=10000&max_bytes=4194304`,
    );
    const { messages, next }: Page = JSON.parse(await page.text());
    for (const { offset: at, timestamp } of messages) late.push(timestamp - firstMs - (at - from));
    offset = next;
  }
  late.sort((a, b) => a - b);
  if ((late[0] ?? -1) < 0) throw new Error(`a message was ${late[0]} ms early`);
  const at = (share: number) => late[Math.floor((late.length - 1) * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

interface Page {
  readonly messages: readonly { readonly offset: number; readonly timestamp: number }[];
  readonly next: number;
}

async function nextOffset({ url }: ServerProcess): Promise<number> {
  const { next }: { readonly next: number } = JSON.parse(
    await (await fetch(`${url}${STREAM}`)).text(),
  );
  return next;
}

async function folderBytes(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total < MIB) throw new Error('the folder holds nothing');
  return total;
}
