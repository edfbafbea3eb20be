/**
 * Server-sent events (SPEC LR3): what a follower yields, written as `id`, `event` and one line of
 * `data`. No body can break out of its event, since one with a line end goes as base64.
 */
import type { FollowEvent, Progress } from '../../services/follow-stream.ts';
import { ByteWriter } from './byte-writer.ts';
import { writeMessageArray } from './chunk-lines.ts';
import { gapMembers } from './page-answer.ts';

export function encodeEvent(event: FollowEvent, base64: boolean): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter();
  writer.ascii(`id: ${eventId(event.progress)}\nevent: ${event.kind}\ndata: `);
  switch (event.kind) {
    case 'batch':
      writer.ascii('{"messages":');
      writeMessageArray(writer, event.chunks, { base64, oneLine: true });
      writer.ascii(`,"next":${event.next},"tail":${event.tail}}`);
      break;
    case 'ping':
      writer.ascii(`{"next":${event.next},"tail":${event.tail}}`);
      break;
    case 'gap':
      writer.ascii(JSON.stringify(gapMembers(event.gap)));
      break;
  }
  writer.ascii('\n\n');
  return writer.finish();
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
