/** A stream of events in whatever pieces it comes, damaged or not: the client reads the same events. */
import assert from 'node:assert/strict';
import { EventParser } from '../../../lib/client/event-parser.ts';
import type { Chance } from '../chance.ts';
import { mutateBytes, utf8Pieces } from '../mutate-bytes.ts';
import { plainTarget } from '../run-rounds.ts';

const LINES = [
  'event: batch',
  'event:',
  'data: {"a":"ö🜁"}',
  'data:x',
  'data',
  'data: ',
  'id: 1,2,3',
  ': hi',
  'x',
  '',
];
const ENDS = ['\n', '\n', '\n', '\r\n', '\r', '\n\n', '\r\n\r\n'];
const PIECES = utf8Pieces(...ENDS, ...LINES, '\u0000', '\ufeff', '\u2028', '\r\r\n');

export const eventPieces = plainTarget('event-pieces', 20_000, (chance) => {
  const text = chance.some(12, () => `${chance.pick(LINES)}${chance.pick(ENDS)}`).join('');
  const whole = new TextEncoder().encode(text);
  const source = chance.oneIn(3) ? whole : mutateBytes(chance, whole, PIECES);
  const parser = new EventParser();
  const events = cut(chance, source).flatMap((piece) => {
    // Whoever reads a socket may use its buffer again.
    const reused = piece.slice();
    const found = parser.push(reused).map(({ name, data }) => ({ name, data: data.slice() }));
    return found;
  });
  assert.deepEqual(events, new EventParser().push(source));
});

function cut(chance: Chance, source: Uint8Array): Uint8Array[] {
  const most = chance.pick([1, 3, 20]);
  const pieces: Uint8Array[] = [];
  for (let start = 0; start < source.length; ) {
    const end = start + 1 + chance.below(most);
    pieces.push(source.subarray(start, end));
    start = end;
  }
  return pieces;
}
