/** Readers that write down every message they were given, and go on where they were after a kill. */
import { pause } from './recorded-publishers.ts';

export interface RecordedReader {
  /** Bodies by offset, from 0 on. */
  readonly bodies: string[];
  resumed(): number;
  stop(): Promise<void>;
}

const RETRY_MS = 20;

/** `query` decides how it reads: pages that wait, or lines that go on. */
export function startReader(url: () => string, query: string): RecordedReader {
  const bodies: string[] = [];
  const life = new AbortController();
  let resumed = 0;

  async function readOnce(): Promise<void> {
    const address = `${url()}/messages?as=ndjson&${query}&from=${bodies.length}`;
    const response = await fetch(address, { signal: life.signal });
    if (response.status !== 200) throw new Error(`answered ${await response.text()}`);
    let rest = '';
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(JSON.parse(line));
    }
  }

  function take({ offset, json }: { offset: number; json: string }): void {
    if (offset !== bodies.length) throw new Error(`offset ${offset} follows ${bodies.length - 1}`);
    bodies.push(json);
  }

  const running = (async () => {
    while (!life.signal.aborted) {
      try {
        await readOnce();
      } catch (error) {
        if (!(error instanceof TypeError || error instanceof DOMException)) throw error;
        resumed++;
        await pause(RETRY_MS);
      }
    }
  })();
  return {
    bodies,
    resumed: () => resumed,
    async stop() {
      life.abort();
      await running;
    },
  };
}
