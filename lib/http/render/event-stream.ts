/**
 * Server-sent events (SPEC LR3): what a follower yields, written as `id`, `event` and one line of
 * `data`. No body can break out of its event, since one with a line end goes as base64.
 */
import type { FollowEvent, Progress } from '../../services/follow-stream.ts';
import { ByteWriter } from './byte-writer.ts';
import { gapMembers } from './page-answer.ts';
import { renderedMessages } from './rendered-chunk.ts';

/** Smaller events are copied into one piece, since each piece costs a call of the kernel. */
const SHARED_FROM_BYTES = 32 * 1024;

export type ToldEvent = Exclude<FollowEvent, { kind: 'advance' }>;

/** In pieces, so that a large event is held once for all followers that wait to take it. */
export function encodeEvent(event: ToldEvent, base64: boolean): Piece[] {
  const head = `id: ${eventId(event.progress)}\nevent: ${event.kind}\ndata: `;
  switch (event.kind) {
    case 'batch':
      return encodeBatch(event, { head, base64 });
    case 'ping':
      return [ascii(`${head}{"next":${event.next},"tail":${event.tail}}\n\n`)];
    case 'gap':
      return [ascii(`${head}${JSON.stringify(gapMembers(event.gap))}\n\n`)];
  }
}

export type Piece = Uint8Array<ArrayBuffer>;

function encodeBatch(
  { chunks, next, tail }: Extract<FollowEvent, { kind: 'batch' }>,
  { head, base64 }: { readonly head: string; readonly base64: boolean },
): Piece[] {
  const pieces = chunks.flatMap((chunk, index) => [
    ascii(index === 0 ? `${head}{"messages":[` : ','),
    renderedMessages(chunk, base64),
  ]);
  pieces.push(ascii(`],"next":${next},"tail":${tail}}\n\n`));
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  return size < SHARED_FROM_BYTES ? [joined(pieces, size)] : pieces;
}

function joined(pieces: readonly Piece[], size: number): Piece {
  const target = new Uint8Array(size);
  let position = 0;
  for (const piece of pieces) {
    target.set(piece, position);
    position += piece.length;
  }
  return target;
}

function ascii(text: string): Piece {
  return new Uint8Array(Buffer.from(text, 'latin1'));
}

export function encodeErrorEvent(progress: Progress, problem: object): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter();
  writer.ascii(`id: ${eventId(progress)}\nevent: error\ndata: `);
  writer.utf8(JSON.stringify(problem));
  writer.ascii('\n\n');
  return writer.finish();
}

/** Tells a client that nothing follows: it need not connect again. */
export function encodeDone(progress: Progress): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter();
  writer.ascii(`id: ${eventId(progress)}\ndata: [DONE]\n\n`);
  return writer.finish();
}

function eventId({ covered, count, bytes }: Progress): string {
  return `${covered},${count},${bytes}`;
}

/** Reads the id of the last event a client saw; undefined when it is none of ours. */
export function parseEventId(text: string): Progress | undefined {
  const match = /^(-1|[0-9]{1,16}),([0-9]{1,16}),([0-9]{1,16})$/.exec(text.trim());
  if (match === null) return undefined;
  const [covered = 0, count = 0, bytes = 0] = match.slice(1).map(Number);
  const isExact = [covered, count, bytes].every(Number.isSafeInteger);
  return isExact && covered < Number.MAX_SAFE_INTEGER ? { covered, count, bytes } : undefined;
}
