/**
 * `npm run demo`: what Varve is for, on real input. A server of its own takes 200 000 earthquakes
 * while readers check them byte for byte, is killed without warning in the middle, and goes on.
 * Exits with 1 when anything is off.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { type ReaderResult, readChecking } from './checking-reader.ts';
import { createProgress } from './progress.ts';
import { loadQuakes, type Quakes } from './quakes.ts';

const TOTAL = 200_000;
const BATCH = 500;
const KILL_AT = TOTAL / 2;
const RETRY_MS = 50;
/** About as long as a request takes, so that the kill falls into one: stored or not, nobody knows. */
const IN_FLIGHT_MS = 8;

interface Publishing {
  readonly seconds: number;
  readonly bytes: number;
  /** What became of the request that was under way at the kill. */
  readonly underWay: 'answered just before' | 'stored, unanswered' | 'not stored';
  readonly downMs: number;
}

interface PublishAnswer {
  readonly end: number;
  readonly duplicates: number;
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'varve-demo-'));
  const servers: ServerProcess[] = [];
  try {
    const quakes = await loadQuakes();
    const server = await startServerProcess({ data: folder });
    servers.push(server);
    say(`server ${server.pid} at ${server.url}, ${TOTAL.toLocaleString('en')} messages to publish`);

    const stream = `${server.url}/v1/streams/earthquakes`;
    await send(stream, { method: 'PUT' });
    const reading = startReaders(`${stream}/messages`, quakes);
    const publishing = publishAll(`${stream}/messages`, quakes, async () => {
      await servers.at(-1)?.end('SIGKILL');
      servers.push(await startServerProcess({ data: folder, port: server.port }));
    });
    const [published, readers] = await Promise.all([publishing, reading]);
    const late = await Promise.all(lateReaders(`${stream}/messages`, quakes));
    await checkTail(stream);
    report(published, [...readers, ...late]);
  } finally {
    await Promise.all(servers.map((server) => server.end()));
    await rm(folder, { recursive: true, force: true });
  }
}

function startReaders(url: string, { body }: Quakes): Promise<ReaderResult[]> {
  const common = { url, total: TOTAL, expected: body };
  return Promise.all([
    readChecking({ ...common, name: 'live from the first', from: 'first', follow: true }),
    readChecking({ ...common, name: 'live from next', from: 'next', follow: true }),
    readChecking({ ...common, name: 'by pages', from: '0', follow: false }),
  ]);
}

/** Those that come when everything is there. */
function lateReaders(url: string, { body }: Quakes): Promise<ReaderResult>[] {
  const common = { url, total: TOTAL, expected: body, follow: false };
  return [
    readChecking({ ...common, name: 'from the middle', from: String(TOTAL / 2 + 7) }),
    readChecking({ ...common, name: 'the newest 1000', from: '-1000' }),
    readChecking({ ...common, name: 'of the last hour', from: '1h' }),
  ];
}

async function publishAll(
  url: string,
  quakes: Quakes,
  killAndRestart: () => Promise<void>,
): Promise<Publishing> {
  const progress = createProgress(TOTAL);
  const startMs = performance.now();
  let [bytes, downMs] = [0, 0];
  let underWay: Publishing['underWay'] = 'not stored';
  for (let first = 0; first < TOTAL; first += BATCH) {
    const lines = Array.from({ length: BATCH }, (_, index) => quakes.body(first + index)).join(
      '\n',
    );
    bytes += lines.length;
    if (first === KILL_AT) {
      progress.update(first, 'killing the server …');
      const killMs = performance.now();
      // Named, so the same request again is recognised if the first one was stored after all.
      const lost = publishOnce(url, first, lines).then(
        () => true,
        () => false,
      );
      await pause(IN_FLIGHT_MS);
      const [, isAnswered] = await Promise.all([killAndRestart(), lost]);
      if (isAnswered) underWay = 'answered just before';
      downMs = performance.now() - killMs;
    }
    const answer = await publishUntilAnswered(url, first, lines);
    if (answer.end !== first + BATCH) throw new Error(`offset ${first} was answered ${answer.end}`);
    if (first === KILL_AT && answer.duplicates > 0 && underWay === 'not stored') {
      underWay = 'stored, unanswered';
    }
    const seconds = (performance.now() - startMs) / 1000;
    progress.update(answer.end, `${Math.round(answer.end / seconds).toLocaleString('en')}/s`);
  }
  progress.finish();
  return { seconds: (performance.now() - startMs) / 1000, bytes, underWay, downMs };
}

async function publishUntilAnswered(url: string, first: number, lines: string) {
  for (;;) {
    try {
      return await publishOnce(url, first, lines);
    } catch (error) {
      // Only a connection that breaks is tried again: an answer that refuses is a fault.
      if (!(error instanceof TypeError)) throw error;
      await pause(RETRY_MS);
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function publishOnce(url: string, first: number, body: string): Promise<PublishAnswer> {
  const options = `publisher=seismograph&publishing_id=${first}`;
  const headers = { 'content-type': 'application/x-ndjson' };
  return JSON.parse(await send(`${url}?${options}`, { method: 'POST', headers, body }));
}

/** Throws TypeError when the connection breaks, Error when the answer is a refusal. */
async function send(url: string, init: RequestInit): Promise<string> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${init.method} was answered ${response.status}: ${text}`);
  return text;
}

async function checkTail(stream: string): Promise<void> {
  const { next, messages } = JSON.parse(await send(stream, { method: 'GET' }));
  if (next === TOTAL && messages === TOTAL) return;
  throw new Error(`the stream ends at ${next} with ${messages} messages, not at ${TOTAL}`);
}

function report(published: Publishing, readers: readonly ReaderResult[]): void {
  const { seconds, bytes, underWay, downMs } = published;
  const rate = (count: number) => Math.round(count / seconds).toLocaleString('en');
  say(
    `published ${TOTAL.toLocaleString('en')} messages, ${Math.round(bytes / 2 ** 20)} MiB, in ${seconds.toFixed(1)} s`,
  );
  say(
    `          ${rate(TOTAL)} messages/s, ${rate(bytes / 2 ** 20)} MiB/s, each request synced to disk`,
  );
  say(
    `killed    in the middle, back after ${Math.round(downMs)} ms; the request under way: ${underWay}`,
  );
  for (const { name, first, checked, resumed } of readers) {
    const again = resumed > 0 ? `, connected again ${resumed} times` : '';
    say(
      `read      ${name}: ${checked.toLocaleString('en')} from offset ${first}, every byte right${again}`,
    );
  }
  say('nothing lost, nothing doubled, nothing out of order');
}

function say(text: string): void {
  process.stdout.write(`  ${text}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`demo failed: ${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
});
