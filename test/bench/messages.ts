/** What is published: earthquakes (USGS, public domain), each filled up to exactly 1 KiB of JSON. */
import { loadQuakes } from '../demo/quakes.ts';

export const SMALL_BYTES = 256;
export const LARGE_BYTES = 1024;
/** Messages of a batch. */
export const BATCH = 1_000;

export const SMALL = Buffer.alloc(SMALL_BYTES, 'x');

/** The bodies of one batch; every batch has the same ones. */
export async function loadBodies(): Promise<readonly string[]> {
  const quakes = await loadQuakes();
  return Array.from({ length: BATCH }, (_, index) =>
    fill(quakes.body(index), quakes.body(index + 1)),
  );
}

/** Takes the text that is missing from the next one, so that it compresses like real data. */
function fill(text: string, next: string): string {
  const head = `{"quake":${text},"note":"`;
  const room = LARGE_BYTES - Buffer.byteLength(head) - '"}'.length;
  const note = next
    .replaceAll(/[^ -!#-[\]-~]/g, ' ')
    .padEnd(room, '.')
    .slice(0, room);
  return `${head}${note}"}`;
}
