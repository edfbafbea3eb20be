/**
 * Server-sent events out of bytes, however they were cut into pieces. `data` stays bytes, so that bodies
 * inside it keep every digit. Lines end with LF or CRLF; ids and comments are left out.
 */
import { badAnswer } from './client-error.ts';

export interface ServerEvent {
  /** `message` when the event does not say. */
  readonly name: string;
  readonly data: Uint8Array;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;

/** A message of 1 MiB as base64 with headers at their limit takes 1.5 MiB. */
const LINE_BYTES_MAX = 4 * 1024 * 1024;

const decoder = new TextDecoder();

export class EventParser {
  /** The beginning of a line whose end has not come. */
  #rest: Uint8Array = new Uint8Array();
  #name = '';
  #data: Uint8Array[] = [];

  /** The events that end in this piece. */
  push(piece: Uint8Array): ServerEvent[] {
    const source = joined([this.#rest, piece]);
    const events: ServerEvent[] = [];
    let start = 0;
    // What was there before has no line end in it.
    let feed = source.indexOf(LINE_FEED, this.#rest.length);
    for (; feed >= 0; feed = source.indexOf(LINE_FEED, start)) {
      const end = source[feed - 1] === CARRIAGE_RETURN && feed > start ? feed - 1 : feed;
      const event = this.#line(source.subarray(start, end));
      if (event !== undefined) events.push(event);
      start = feed + 1;
    }
    this.#rest = source.slice(start);
    if (this.#rest.length > LINE_BYTES_MAX) {
      throw badAnswer(`a line of an event is over ${LINE_BYTES_MAX} bytes`);
    }
    return events;
  }

  #line(line: Uint8Array): ServerEvent | undefined {
    if (line.length === 0) return this.#finish();
    const colon = line.indexOf(COLON);
    const nameEnd = colon < 0 ? line.length : colon;
    const field = decoder.decode(line.subarray(0, nameEnd));
    const valueStart = line[nameEnd + 1] === SPACE ? nameEnd + 2 : nameEnd + 1;
    const value = line.subarray(valueStart);
    if (field === 'event') this.#name = decoder.decode(value);
    if (field === 'data') this.#data.push(value);
    return undefined;
  }

  /** An event without data is none. */
  #finish(): ServerEvent | undefined {
    const [name, data] = [this.#name || 'message', this.#data];
    this.#name = '';
    this.#data = [];
    if (data.length === 0) return undefined;
    const feed = Uint8Array.of(LINE_FEED);
    const parts = data.flatMap((part, index) => (index === 0 ? [part] : [feed, part]));
    return { name, data: joined(parts) };
  }
}

/** One part is handed on as it is. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const filled = parts.filter(({ length }) => length > 0);
  if (filled.length === 1 && filled[0] !== undefined) return filled[0];
  const target = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let position = 0;
  for (const part of filled) {
    target.set(part, position);
    position += part.length;
  }
  return target;
}
