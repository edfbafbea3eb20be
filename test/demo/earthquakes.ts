/**
 * `npm run demo`: what Varve is for, on real input. A server of its own takes 200 000 earthquakes
 * while readers check them byte for byte, is killed without warning in the middle, and goes on. Then a week
 * passes live for a consumer with a filter, which is killed as well; and its strong ones leave reminders that come
 * at their time, through another kill. Exits with 1 when anything is off.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, connect } from '../../lib/client/connect.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { type ReaderResult, readChecking } from './checking-reader.ts';
import { createProgress } from './progress.ts';
import { loadQuakes, type Quakes } from './quakes.ts';
import { remindOfAftershocks } from './remind.ts';
import { WATCH } from './watch.ts';
import { watchWeek } from './watch-week.ts';

const STREAM = 'earthquakes';
const TOTAL = 200_000;
const BATCH = 500;
const KILL_AT = TOTAL / 2;

interface Publishing {
  readonly seconds: number;
  readonly bytes: number;
  /** Messages that the server had stored before it was killed, without having said so. */
  readonly unanswered: number;
  readonly downMs: number;
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'varve-demo-'));
  const servers: ServerProcess[] = [];
  try {
    const quakes = await loadQuakes();
    const server = await startServerProcess({ data: folder });
    servers.push(server);
    say(`server ${server.pid} at ${server.url}, ${TOTAL.toLocaleString('en')} messages to publish`);

    let retries = 0;
    const client = connect({ url: server.url, onRetry: () => retries++ });
    await send(`${server.url}/v1/streams/${STREAM}`, 'PUT');
    const reading = startReaders(client, quakes);
    const killAndRestart = async () => {
      await servers.at(-1)?.end('SIGKILL');
      servers.push(await startServerProcess({ data: folder, port: server.port }));
    };
    const publishing = publishAll(client, quakes, killAndRestart);
    const [published, readers] = await Promise.all([publishing, reading]);
    const late = await Promise.all(lateReaders(client, quakes));
    await checkTail(`${server.url}/v1/streams/${STREAM}`);
    report({ published, readers: [...readers, ...late], retries });
    await send(`${server.url}/v1/streams/${WATCH.stream}`, 'PUT');
    await watchWeek({ client, url: server.url, quakes, say });
    await remindOfAftershocks({ client, url: server.url, quakes, killAndRestart, say });
  } finally {
    await Promise.all(servers.map((server) => server.end()));
    await rm(folder, { recursive: true, force: true });
  }
}

function startReaders(client: Client, { body }: Quakes): Promise<ReaderResult[]> {
  const common = { total: TOTAL, expected: body };
  const follow = (from: string) => client.follow({ stream: STREAM, from });
  return Promise.all([
    readChecking(follow('first'), { ...common, name: 'live from the first', first: 0 }),
    readChecking(follow('next'), { ...common, name: 'live from next' }),
  ]);
}

/** Those that come when everything is there. */
function lateReaders(client: Client, { body }: Quakes): Promise<ReaderResult>[] {
  const common = { total: TOTAL, expected: body };
  const read = (from: number | string) => client.read({ stream: STREAM, from });
  const middle = TOTAL / 2 + 7;
  return [
    readChecking(read('first'), { ...common, name: 'all of it', first: 0 }),
    readChecking(read(middle), { ...common, name: 'from the middle', first: middle }),
    readChecking(read(-1000), { ...common, name: 'the newest 1000', first: TOTAL - 1000 }),
    readChecking(read('1h'), { ...common, name: 'of the last hour', first: 0 }),
  ];
}

async function publishAll(
  client: Client,
  quakes: Quakes,
  killAndRestart: () => Promise<void>,
): Promise<Publishing> {
  const progress = createProgress(TOTAL);
  const startMs = performance.now();
  let [bytes, answered, unanswered, downMs] = [0, 0, 0, 0];
  // Named, so that a request whose answer was lost is sent again and recognised.
  const publisher = client.publisher({ stream: STREAM, name: 'seismograph', maxBatch: BATCH });
  const outcomes: Promise<void>[] = [];
  const publish = async (index: number, text: string) => {
    const { offset, outcome } = await publisher.publish({ text, contentType: 'application/json' });
    if (offset !== index) throw new Error(`message ${index} was stored at ${offset}`);
    if (outcome === 'duplicate') unanswered++;
    if (++answered % BATCH > 0) return;
    const seconds = (performance.now() - startMs) / 1000;
    progress.update(answered, `${Math.round(answered / seconds).toLocaleString('en')}/s`);
  };
  for (let index = 0; index < TOTAL; index++) {
    await publisher.ready();
    const body = quakes.body(index);
    bytes += body.length;
    outcomes.push(publish(index, body));
    if (index !== KILL_AT) continue;
    progress.update(answered, 'killing the server …');
    const killMs = performance.now();
    // Messages wait by now, so a request is under way: stored or not, nobody knows.
    await killAndRestart();
    downMs = performance.now() - killMs;
  }
  await publisher.close();
  await Promise.all(outcomes);
  progress.finish();
  return { seconds: (performance.now() - startMs) / 1000, bytes, unanswered, downMs };
}

async function send(url: string, method: string): Promise<string> {
  const response = await fetch(url, { method });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} was answered ${response.status}: ${text}`);
  return text;
}

async function checkTail(url: string): Promise<void> {
  const { next, messages } = JSON.parse(await send(url, 'GET'));
  if (next === TOTAL && messages === TOTAL) return;
  throw new Error(`the stream ends at ${next} with ${messages} messages, not at ${TOTAL}`);
}

interface Report {
  readonly published: Publishing;
  readonly readers: readonly ReaderResult[];
  readonly retries: number;
}

function report({ published, readers, retries }: Report): void {
  const { seconds, bytes, unanswered, downMs } = published;
  const rate = (count: number) => Math.round(count / seconds).toLocaleString('en');
  const mib = Math.round(bytes / 2 ** 20);
  say(`published ${TOTAL.toLocaleString('en')} messages, ${mib} MiB, in ${seconds.toFixed(1)} s`);
  say(`          ${rate(TOTAL)} messages/s, ${rate(mib)} MiB/s, each request synced to disk`);
  say(
    `killed    in the middle, back after ${Math.round(downMs)} ms; ${retries} tries over the gap`,
  );
  say(`          ${unanswered} messages had been stored without an answer, and were recognised`);
  for (const { name, first, checked } of readers) {
    say(
      `read      ${name}: ${checked.toLocaleString('en')} from offset ${first}, every byte right`,
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
