/**
 * Reading a stream by pages with a filter that one message in a thousand matches, beside reading all of it:
 * what looking costs. And the question alone, over headers that are in memory.
 */
import { join } from 'node:path';
import type { MessageFilter } from '../../../lib/core/filter/filter.ts';
import { createMatcher } from '../../../lib/core/filter/match-headers.ts';
import { parseFilter } from '../../../lib/core/filter/parse-filter.ts';
import { encodeFrameHeader, MESSAGES_TYPE } from '../../../lib/wire/frame.ts';
import { encodeRecords } from '../../../lib/wire/record.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { median } from '../load.ts';

const MIB = 1024 * 1024;
const MESSAGES = 200_000;
const BATCH = 1_000;
const BODY_BYTES = 100;
const ONE_IN = 1_000;
const RUNS = 5;
const STREAM = '/v1/streams/filtered';
const FILTERS = [
  ['value', 'wanted'],
  ['radius', '{"geo-within-radius":{"lat":60,"lon":10,"radius_km":5}}'],
  ['header', '{"region":"wanted"}'],
] as const;

export interface FilteredReadsOptions {
  readonly folder: string;
  readonly under: readonly string[];
}

export async function measureFilteredReads({ folder, under }: FilteredReadsOptions) {
  const server = await startServerProcess({ data: join(folder, 'filtered-reads'), under });
  try {
    const bytes = await fill(server);
    const all = await median5(() => walk(server, ''));
    const figures: Record<string, number> = figuresOf('all', all, bytes);
    for (const [name, filter] of FILTERS) {
      const query = `&filter=${encodeURIComponent(filter)}`;
      Object.assign(figures, figuresOf(name, await median5(() => walk(server, query)), bytes));
      figures[`${name} alone, messages/s`] = matchRate(filter);
    }
    return figures;
  } finally {
    await server.end('SIGTERM');
  }
}

function figuresOf(name: string, seconds: number, bytes: number): Record<string, number> {
  return { [`${name}, messages/s`]: MESSAGES / seconds, [`${name}, MiB/s`]: bytes / MIB / seconds };
}

async function median5(run: () => Promise<number>): Promise<number> {
  const taken: number[] = [];
  for (let time = 0; time < RUNS; time++) taken.push(await run());
  return median(taken);
}

function headersOf(n: number): string {
  const isWanted = n % ONE_IN === ONE_IN / 2;
  const kind = isWanted ? 'wanted' : `kind-${n % 50}`;
  const lat = isWanted ? 60 : -40 + (n % 90) + (n % 7) / 10;
  return `{"x-stream-filter-value":"${kind}","region":"${kind}","x-geo-lat":${lat},"x-geo-lon":10}`;
}

/** Logical bytes. */
async function fill(server: ServerProcess): Promise<number> {
  await fetch(`${server.url}${STREAM}`, { method: 'PUT' });
  let bytes = 0;
  for (let first = 0; first < MESSAGES; first += BATCH) {
    const messages = Array.from({ length: BATCH }, (_, n) => ({
      body: Buffer.from(`${first + n}`.padEnd(BODY_BYTES, ' body')),
      contentType: 'text/plain; charset=utf-8',
      headers: Buffer.from(headersOf(first + n)),
    }));
    bytes += messages.reduce((sum, { body, headers }) => sum + body.length + headers.length, 0);
    const records = encodeRecords(messages);
    const body = Buffer.concat([encodeFrameHeader({ count: BATCH, records }), records]);
    const headers = { 'content-type': MESSAGES_TYPE };
    const answer = await fetch(`${server.url}${STREAM}/messages`, {
      method: 'POST',
      body,
      headers,
    });
    if (!answer.ok) throw new Error(await answer.text());
  }
  return bytes;
}

/** Seconds that all pages took, one after the other. */
async function walk(server: ServerProcess, query: string): Promise<number> {
  const startMs = performance.now();
  for (let next = 0; next < MESSAGES; ) {
    const path = `${STREAM}/messages?from=${next}&limit=10000&max_bytes=4194304&as=binary${query}`;
    const answer = await fetch(`${server.url}${path}`);
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${answer.status}`);
    next = Number(answer.headers.get('varve-next'));
  }
  return (performance.now() - startMs) / 1_000;
}

function filterOf(text: string): MessageFilter {
  const parsed = parseFilter({ kind: 'query', text, match: 'all', matchUnfiltered: false });
  if (parsed.kind === 'reject') throw new Error(parsed.reason);
  return parsed.filter;
}

/** Messages a second whose headers are looked at, without anything around it. */
function matchRate(text: string): number {
  const matches = createMatcher(filterOf(text));
  const headers = Array.from(
    { length: 10_000 },
    (_, n) => new Uint8Array(Buffer.from(headersOf(n))),
  );
  const rates: number[] = [];
  for (let run = 0; run < 2 * RUNS; run++) {
    const startMs = performance.now();
    let found = 0;
    for (const one of headers) if (matches(one)) found++;
    rates.push(headers.length / ((performance.now() - startMs) / 1_000));
    if (found !== headers.length / ONE_IN) throw new Error(`${found} found`);
  }
  return median(rates.slice(RUNS));
}
