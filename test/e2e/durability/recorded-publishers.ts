/**
 * Publishers that write down what they sent and what they were told, over a server that is killed
 * again and again: what an oracle needs to judge the log by.
 */

export interface Sent {
  readonly bodies: readonly string[];
  /** Where the answer said it stands; absent while nobody knows whether it was stored. */
  start?: number;
}

export interface PublisherLog {
  readonly name: string;
  readonly isNamed: boolean;
  readonly sent: Sent[];
}

export interface Publishers {
  readonly logs: readonly PublisherLog[];
  /** Requests that wait for their answer. */
  inFlight(): number;
  /** Requests answered so far. */
  answered(): number;
  /** Ends them once what is under way is answered or broken. */
  stop(): Promise<void>;
}

const NAMED = 3;
const UNNAMED = 5;
const RETRY_MS = 20;
const MESSAGES_MAX = 7;

export interface PublisherOptions {
  /** Bodies are filled up to so many bytes. */
  readonly bodyBytes?: number;
}

export function startPublishers(
  url: () => string,
  { bodyBytes = 0 }: PublisherOptions = {},
): Publishers {
  const counts = { inFlight: 0, answered: 0 };
  let isStopping = false;
  const logs = Array.from({ length: NAMED + UNNAMED }, (_, index): PublisherLog => {
    const isNamed = index < NAMED;
    return { name: `${isNamed ? 'named' : 'plain'}-${index}`, isNamed, sent: [] };
  });

  async function post(query: string, bodies: readonly string[]): Promise<number | undefined> {
    counts.inFlight++;
    try {
      const response = await fetch(`${url()}/messages${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body: bodies.map((body) => JSON.stringify(body)).join('\n'),
      });
      const answer: { start: number } = JSON.parse(await response.text());
      if (response.status !== 200) throw new Error(`answered ${JSON.stringify(answer)}`);
      counts.answered++;
      return answer.start;
    } catch (error) {
      // A broken connection leaves it open whether the request was stored; a refusal is a fault.
      if (error instanceof TypeError || error instanceof SyntaxError) return undefined;
      throw error;
    } finally {
      counts.inFlight--;
    }
  }

  async function publish(log: PublisherLog): Promise<void> {
    let nextId = 0;
    for (let request = 0; !isStopping; request++) {
      const count = 1 + (request % MESSAGES_MAX);
      const bodies = Array.from({ length: count }, (_, index) =>
        `${log.name}/${request}/${index}/`.padEnd(bodyBytes, String(request)),
      );
      const sent: Sent = { bodies };
      log.sent.push(sent);
      const query = log.isNamed ? `?publisher=${log.name}&publishing_id=${nextId}` : '';
      nextId += count;
      // A named one repeats until it knows; the log must hold each id once all the same.
      do {
        const start = await post(query, bodies);
        if (start !== undefined) sent.start = start;
        else await pause(RETRY_MS);
      } while (log.isNamed && sent.start === undefined);
    }
  }

  const running = Promise.all(logs.map(publish));
  return {
    logs,
    inFlight: () => counts.inFlight,
    answered: () => counts.answered,
    async stop() {
      isStopping = true;
      await running;
    },
  };
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
