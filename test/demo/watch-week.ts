/**
 * The part of the demo to look at: a week of earthquakes passes in some seconds, and a consumer sees live those near
 * a place. It is killed while it handles them; the next one of its name goes on where it was.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Client } from '../../lib/client/connect.ts';
import { distanceKm, parseQuake, type Quakes } from './quakes.ts';
import { magnitudeValues, WATCH } from './watch.ts';

const WATCHER = fileURLToPath(new URL('./watcher.ts', import.meta.url));
const WEEK_SECONDS = 8;
const TICK_MS = 20;
const KILL_AFTER = 13;
const SEEN_WITHIN_MS = 30_000;

export interface WeekOptions {
  readonly client: Client;
  readonly url: string;
  readonly quakes: Quakes;
  say(text: string): void;
}

export async function watchWeek({ client, url, quakes, say }: WeekOptions): Promise<void> {
  const wanted = nearby(quakes);
  const { magnitude, radiusKm } = WATCH;
  say(
    `watching  a week in ${WEEK_SECONDS} s: M ${magnitude} and more within ${radiusKm} km of Anchorage`,
  );
  const seen: number[] = [];
  const watch = startWatching(url, (offset, text) => {
    const again = seen.includes(offset) ? '  (again)' : '';
    seen.push(offset);
    say(`          ${text}${again}`);
    if (seen.length === KILL_AFTER) say('          killed; another one of its name goes on');
    return seen.length;
  });
  await publishWeek(client, quakes);
  await watch.until(() => new Set(seen).size >= wanted.length);
  await watch.end();

  const repeats = seen.length - new Set(seen).size;
  const order = [...new Set(seen)];
  if (String(order) !== String(wanted)) throw new Error(`the watcher saw ${order}, not ${wanted}`);
  say(`          ${wanted.length} of ${quakes.count}, none missed; ${repeats} handled again`);
}

/** Told by other means than the service uses. */
function nearby({ count, body }: Quakes): readonly number[] {
  const offsets = Array.from({ length: count }, (_, offset) => offset);
  return offsets.filter((offset) => {
    const { magnitude, at } = parseQuake(body(offset));
    return magnitude >= WATCH.magnitude && distanceKm(at, WATCH.center) <= WATCH.radiusKm;
  });
}

async function publishWeek(client: Client, { count, body }: Quakes): Promise<void> {
  const publisher = client.publisher({ stream: WATCH.stream, name: 'seismograph' });
  const published: Promise<unknown>[] = [];
  const perTick = Math.ceil((count * TICK_MS) / (WEEK_SECONDS * 1_000));
  for (let offset = 0; offset < count; offset++) {
    const text = body(offset);
    const { magnitude, at } = parseQuake(text);
    const headers = {
      'x-stream-filter-value': magnitudeValues(magnitude),
      'x-geo-lat': at.lat,
      'x-geo-lon': at.lon,
    };
    published.push(publisher.publish({ text, contentType: 'application/json', headers }));
    if (offset % perTick === 0) await wait(TICK_MS);
  }
  await publisher.close();
  await Promise.all(published);
}

interface Watching {
  /** Resolves when that is so; rejects when it takes too long. */
  until(isDone: () => boolean): Promise<void>;
  end(): Promise<void>;
}

/** `handled` gives how many were, and after some of them the process is killed without warning. */
function startWatching(url: string, handled: (offset: number, text: string) => number): Watching {
  let current = spawnWatcher(url);
  const listen = (process: ChildProcess) => {
    if (process.stdout === null) throw new Error('the watcher has no output');
    createInterface(process.stdout).on('line', (line) => {
      const space = line.indexOf(' ');
      const count = handled(Number(line.slice(0, space)), line.slice(space + 1));
      if (count !== KILL_AFTER) return;
      current.kill('SIGKILL');
      current = listen(spawnWatcher(url));
    });
    return process;
  };
  listen(current);
  return {
    async until(isDone) {
      const endMs = performance.now() + SEEN_WITHIN_MS;
      while (!isDone()) {
        if (performance.now() > endMs) throw new Error('the watcher has not seen all in time');
        await wait(TICK_MS);
      }
    },
    async end() {
      const ended = once(current, 'exit');
      current.kill('SIGKILL');
      await ended;
    },
  };
}

function spawnWatcher(url: string): ChildProcess {
  return spawn(process.execPath, [WATCHER, url], { stdio: ['ignore', 'pipe', 'inherit'] });
}
