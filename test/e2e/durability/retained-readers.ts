/** Readers of a stream that drops its oldest messages: they write down what they saw, and what they were told was gone. */
import { pause } from './recorded-publishers.ts';

export interface Missed {
  readonly requested: number;
  readonly missing: number;
}

export interface RetainedReader {
  /** Bodies by offset. */
  readonly seen: ReadonlyMap<number, string>;
  readonly gaps: readonly Missed[];
  /** Everything below it was seen, or told of as missing. */
  position(): number;
  stop(): Promise<void>;
}

interface Page {
  readonly messages: readonly { readonly offset: number; readonly json: string }[];
  readonly next: number;
  readonly gap?: Missed & { readonly first_available: number };
}

const RETRY_MS = 20;

export function startRetainedReader(url: () => string, limit: number): RetainedReader {
  const seen = new Map<number, string>();
  const gaps: Missed[] = [];
  let position = 0;
  let isStopping = false;

  async function readPage(): Promise<Page | undefined> {
    try {
      const query = `from=${position}&limit=${limit}&max_bytes=4194304&wait=1`;
      const response = await fetch(`${url()}/messages?${query}`);
      const text = await response.text();
      if (response.status !== 200) throw new Error(`answered ${text}`);
      return JSON.parse(text);
    } catch (error) {
      // The server was killed under it.
      if (error instanceof TypeError || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  function take({ messages, next, gap }: Page): void {
    if (gap !== undefined) {
      if (gap.requested !== position) throw new Error(`a gap at ${gap.requested}, not ${position}`);
      gaps.push(gap);
      position = gap.first_available;
    }
    for (const { offset, json } of messages) {
      if (offset !== position) throw new Error(`offset ${offset} follows ${position - 1}`);
      seen.set(offset, json);
      position++;
    }
    if (next !== position) throw new Error(`a page ends at ${position} and says ${next}`);
  }

  const running = (async () => {
    while (!isStopping) {
      const page = await readPage();
      if (page === undefined) await pause(RETRY_MS);
      else take(page);
    }
  })();
  return {
    seen,
    gaps,
    position: () => position,
    async stop() {
      isStopping = true;
      await running;
    },
  };
}
