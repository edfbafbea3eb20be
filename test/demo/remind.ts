/**
 * Aftershocks to look for: each strong earthquake of the week leaves a reminder that is due some seconds later. The
 * server is killed while most of them wait; each comes once all the same, in the order in which they are due.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from '../../lib/client/connect.ts';
import { parseQuake, type Quakes } from './quakes.ts';

const STREAM = 'reminders';
const EXCHANGE = 'aftershocks';
const STRONG = 4.8;
const FIRST_DUE_MS = 1_500;
/** Between one reminder and the next. */
const APART_MS = 60;
const KILL_AFTER_MS = 700;
const SHOWN = 5;

export interface RemindOptions {
  readonly client: Client;
  readonly url: string;
  readonly quakes: Quakes;
  killAndRestart(): Promise<void>;
  say(text: string): void;
}

export async function remindOfAftershocks(options: RemindOptions): Promise<void> {
  const { client, quakes, killAndRestart, say } = options;
  const strong = strongQuakes(quakes);
  const lastMs = FIRST_DUE_MS + strong.length * APART_MS;
  say(
    `remind    of ${strong.length} earthquakes of M ${STRONG} and more, in the next ${lastMs / 1000} s`,
  );
  await prepare(options);
  const held = await publish(options, strong);
  await wait(KILL_AFTER_MS);
  await killAndRestart();
  say('          killed while they wait, and started again');

  const late: number[] = [];
  let at = 0;
  for await (const message of client.follow({ stream: STREAM, from: 'first' })) {
    const expected = held[at];
    const text = message.text();
    if (expected === undefined || text !== expected.text)
      throw new Error(`${text} came out of turn`);
    late.push(message.timestamp - expected.due);
    if (at < SHOWN) say(`          ${text}`);
    if (++at === held.length) break;
  }
  const max = Math.max(...late);
  if (Math.min(...late) < 0) throw new Error(`a reminder came ${-Math.min(...late)} ms early`);
  say(`          … ${at} in all, each once and in turn, none early, the latest ${max} ms late`);
}

interface Reminder {
  readonly text: string;
  readonly due: number;
}

/** The strongest last, so that they are not due in the order in which they are published. */
function strongQuakes({ count, body }: Quakes): readonly string[] {
  const quakes = Array.from({ length: count }, (_, offset) => parseQuake(body(offset)));
  const strong = quakes.filter(({ magnitude }) => magnitude >= STRONG);
  strong.sort((a, b) => a.magnitude - b.magnitude);
  return strong.map(({ magnitude, place }) => `M ${magnitude}, ${place}: any aftershocks?`);
}

async function prepare(options: RemindOptions): Promise<void> {
  await call(options, `PUT streams/${STREAM}`);
  await call(options, `PUT exchanges/${EXCHANGE}`, { type: 'fanout', delayed: true });
  const bound = { destination_type: 'stream', destination: STREAM };
  await call(options, `POST exchanges/${EXCHANGE}/bindings`, bound);
}

/** In the order in which they are due, which is not the one in which they are sent. */
async function publish(
  options: RemindOptions,
  texts: readonly string[],
): Promise<readonly Reminder[]> {
  const messages = texts.map((text, index) => {
    return { text, headers: { 'x-delay': FIRST_DUE_MS + (texts.length - index) * APART_MS } };
  });
  const answer = await call(options, `POST exchanges/${EXCHANGE}/messages`, { messages });
  const { held }: { held: readonly { readonly index: number; readonly due: number }[] } =
    JSON.parse(answer);
  const reminders = held.map(({ index, due }) => ({ text: texts[index] ?? '', due }));
  return reminders.sort((a, b) => a.due - b.due);
}

async function call({ url }: RemindOptions, line: string, body?: object): Promise<string> {
  const [method = '', path = ''] = line.split(' ');
  const response = await fetch(`${url}/v1/${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${line} was answered ${response.status}: ${text}`);
  return text;
}
