/** The lines of a body: ended by LF or CRLF, the last one's end may be missing (api, NDJSON). */
import { invalid } from '../../services/log-error.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export interface Line {
  /** From 1, as editors count. */
  readonly number: number;
  readonly start: number;
  /** Exclusive, without the line end. */
  readonly end: number;
}

/** Throws at an empty line: it is no message, and dropping it silently would hide a fault. */
export function* splitLines(source: Uint8Array): Generator<Line, void, void> {
  let number = 1;
  for (let start = 0; start < source.length; number++) {
    const feed = source.indexOf(LINE_FEED, start);
    const lineEnd = feed < 0 ? source.length : feed;
    const end = feed >= 0 && source[lineEnd - 1] === CARRIAGE_RETURN ? lineEnd - 1 : lineEnd;
    if (end <= start) throw invalid(`line ${number}`, `line ${number} is empty: leave it out`);

    yield { number, start, end };
    start = lineEnd + 1;
  }
}
