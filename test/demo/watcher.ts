/**
 * A consumer in a process of its own: earthquakes near a place, one line each, its offset first. Handling one takes
 * a while, so that whoever kills the process does so in the middle of a page.
 */
import process from 'node:process';
import { setTimeout as handle } from 'node:timers/promises';
import { connect } from '../../lib/client/connect.ts';
import { distanceKm, parseQuake } from './quakes.ts';
import { WATCH, WATCHED } from './watch.ts';

const HANDLE_MS = 60;
const PAGE_MESSAGES = 5;

async function main(url: string): Promise<void> {
  const pages = connect({ url }).consume({
    stream: WATCH.stream,
    name: WATCH.consumer,
    filter: WATCHED,
    pageMessages: PAGE_MESSAGES,
  });
  for await (const page of pages) {
    for (const message of page.messages) {
      const { magnitude, place, at } = parseQuake(message.text());
      const away = Math.round(distanceKm(at, WATCH.center));
      process.stdout.write(
        `${message.offset} M ${magnitude.toFixed(1)}  ${place}, ${away} km away\n`,
      );
      await handle(HANDLE_MS);
    }
  }
}

await main(process.argv[2] ?? '');
