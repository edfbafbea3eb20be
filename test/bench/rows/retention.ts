/**
 * A stream that keeps its newest part: what it takes up while many times as much is published, whether the
 * rate sags as retention goes on, and how fast its oldest messages and times are found. With noise nothing is
 * gained by compression: that is the most that a folder grows to.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { encodeFrameHeader, MESSAGES_TYPE } from '../../../lib/wire/frame.ts';
import { encodeRecords, type WireRecord } from '../../../lib/wire/record.ts';
import { encodeRequest, RawConnection } from '../../support/raw-connection.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { median, percentiles } from '../load.ts';
import { LARGE_BYTES } from '../messages.ts';

const MIB = 1024 * 1024;
const LANES = 4;
const BATCH = 1_000;
/** Different ones, so that no page of the disk is written twice with the same bytes. */
const BATCHES = 16;
const SHARES = 10;
const LOOK_EVERY_MS = 500;
const LOOKS = 200;
const STREAM = '/v1/streams/kept';

export interface RetentionOptions {
  readonly folder: string;
  readonly under: readonly string[];
  /** Of {@link LARGE_BYTES} each, as JSON; noise instead of them. */
  readonly bodies: readonly string[];
  readonly isNoise: boolean;
  /** Of messages, published and kept. */
  readonly publishedMib: number;
  readonly keptMib: number;
  progress(text: string): void;
}

export async function measureRetention(options: RetentionOptions) {
  const { folder, under, keptMib } = options;
  const data = join(folder, `retention-${options.isNoise ? 'noise' : 'json'}`);
  const server = await startServerProcess({ data, under });
  try {
    await call(server, `PUT ${STREAM}`, { max_length_bytes: keptMib * MIB });
    const sizes = watchFolder(data);
    const shares = await publishShares(server, options);
    const diskMib = await sizes.stop();
    const { bytes } = await call(server, `GET ${STREAM}`);
    const looks = await lookUp(server);
    const [first = 0, last = 0] = [shares[0], shares.at(-1)];
    return {
      'MiB/s': median(shares),
      'last tenth of first': last / first,
      'kept MiB': Number(bytes) / MIB,
      'disk MiB at most': diskMib.most,
      'disk MiB at the end': diskMib.last,
      ...looks,
    };
  } finally {
    await server.end('SIGTERM');
  }
}

/** The rate of each tenth, in MiB a second. */
async function publishShares(
  { port }: ServerProcess,
  { publishedMib, progress, bodies, isNoise }: RetentionOptions,
): Promise<readonly number[]> {
  const json = bodies.map((body) => ({ body: Buffer.from(body), contentType: 'application/json' }));
  const requests = Array.from({ length: BATCHES }, () => batchOf(isNoise ? noise() : json));
  const connections = await Promise.all(
    Array.from({ length: LANES }, () => RawConnection.open(port)),
  );
  const perShare = Math.ceil((publishedMib * MIB) / SHARES / (BATCH * LARGE_BYTES));
  const rates: number[] = [];
  for (let share = 0; share < SHARES; share++) {
    progress(`retention, ${share} of ${SHARES} tenths published`);
    let left = perShare;
    const startMs = performance.now();
    await Promise.all(
      connections.map(async (connection) => {
        while (left-- > 0) await connection.send(requests[left % BATCHES] ?? Buffer.alloc(0));
      }),
    );
    const seconds = (performance.now() - startMs) / 1_000;
    rates.push((perShare * BATCH * LARGE_BYTES) / MIB / seconds);
  }
  for (const connection of connections) connection.close();
  return rates;
}

function noise(): readonly WireRecord[] {
  return Array.from({ length: BATCH }, () => {
    return { body: randomBytes(LARGE_BYTES), contentType: 'application/octet-stream' };
  });
}

function batchOf(messages: readonly WireRecord[]): Buffer {
  const records = encodeRecords(messages);
  const header = encodeFrameHeader({ count: messages.length, records });
  const path = `${STREAM}/messages`;
  const body = Buffer.concat([header, records]);
  return encodeRequest({ method: 'POST', path, contentType: MESSAGES_TYPE, body });
}

/** What the folder takes up, looked at now and then. */
function watchFolder(folder: string) {
  let most = 0;
  const look = () => {
    const size = folderBytes(folder) / MIB;
    most = Math.max(most, size);
    return size;
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      return { last: look(), most };
    },
  };
}

function folderBytes(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.reduce((sum, name) => {
    const file = statSync(join(folder, name), { throwIfNoEntry: false });
    return sum + (file?.isFile() ? file.blocks * 512 : 0);
  }, 0);
}

async function lookUp(server: ServerProcess) {
  const { first, next, oldest } = await call(server, `GET ${STREAM}`);
  const now = Date.now();
  const pages = await timed(server, () => `${STREAM}/messages?from=first&limit=100&as=binary`);
  const places = await timed(server, () => {
    const at = Number(first) + Math.floor(Math.random() * (Number(next) - Number(first)));
    return `${STREAM}/messages?from=${at}&limit=100&as=binary`;
  });
  const times = await timed(server, () => {
    const at = Number(oldest) + Math.floor(Math.random() * (now - Number(oldest)));
    return `${STREAM}/offsets?from=ts:${at}`;
  });
  return {
    'first page p50 ms': pages.p50Ms,
    'first page p99 ms': pages.p99Ms,
    'any page p50 ms': places.p50Ms,
    'any page p99 ms': places.p99Ms,
    'time look-up p50 ms': times.p50Ms,
    'time look-up p99 ms': times.p99Ms,
  };
}

async function timed({ port }: ServerProcess, path: () => string) {
  const connection = await RawConnection.open(port);
  const latencies: number[] = [];
  for (let look = 0; look < LOOKS; look++) {
    const request = encodeRequest({ method: 'GET', path: path() });
    const startMs = performance.now();
    await connection.send(request);
    latencies.push(performance.now() - startMs);
  }
  connection.close();
  return percentiles(latencies);
}

async function call(
  { url }: ServerProcess,
  line: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const [method = '', path = ''] = line.split(' ');
  const response = await fetch(`${url}${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${line}: ${text}`);
  return JSON.parse(text);
}
