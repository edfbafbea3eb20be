/** What is measured: each row one kind of load, several runs, the median quoted. */
import { type LoadResult, median, runLoad } from './load.ts';
import { encodeRequest, RawConnection } from './raw-client.ts';

export interface Targets {
  readonly varve: number;
  readonly bare: number;
}

export interface Row {
  readonly name: string;
  readonly figures: { readonly [name: string]: number };
}

const RUNS = 3;
const SECONDS = 3;
const SMALL = Buffer.alloc(256, 'x');
const LINE = `${JSON.stringify({ payload: 'y'.repeat(1024 - 14) })}\n`;
const LINES = 1_000;
const CATCH_UP = 200_000;

const post = (stream: string, contentType: string, body: Uint8Array) =>
  encodeRequest({
    method: 'POST',
    path: `/v1/streams/${stream}/messages?create=true`,
    contentType,
    body,
  });

/** Publishes of 256 bytes, one message each, beside a server that only answers. */
export async function singlePublishes({ varve, bare }: Targets, connections: number): Promise<Row> {
  const request = post('single', 'text/plain', SMALL);
  const common = { connections, seconds: SECONDS, request };
  const ours = await repeat(() => runLoad({ ...common, port: varve }));
  const ceiling = await repeat(() => runLoad({ ...common, port: bare }));
  return {
    name: `single publishes of 256 B, ${connections} connections`,
    figures: {
      'requests/s': ours.perSecond,
      'p50 ms': ours.p50Ms,
      'p99 ms': ours.p99Ms,
      'bare requests/s': ceiling.perSecond,
      'of bare': ours.perSecond / ceiling.perSecond,
    },
  };
}

export async function lineBatches({ varve }: Targets): Promise<Row> {
  const request = post('batches', 'application/x-ndjson', Buffer.from(LINE.repeat(LINES)));
  const result = await repeat(() =>
    runLoad({ port: varve, connections: 4, seconds: SECONDS, request }),
  );
  return {
    name: `NDJSON batches of ${LINES} x 1 KiB, 4 connections`,
    figures: {
      'messages/s': result.perSecond * LINES,
      'p50 ms': result.p50Ms,
      'p99 ms': result.p99Ms,
    },
  };
}

/** Reads what `lineBatches` wrote, page after page, on one connection. */
export async function catchUp(
  { varve }: Targets,
  format: 'json' | 'ndjson' | 'binary',
): Promise<Row> {
  const connection = await RawConnection.open(varve);
  const rates: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const startMs = performance.now();
    let next = 0;
    while (next < CATCH_UP) {
      const path = `/v1/streams/batches/messages?from=${next}&limit=10000&max_bytes=4194304&as=${format}`;
      const { head } = await connection.send(encodeRequest({ method: 'GET', path }));
      const told = Number(/varve-next: ([0-9]+)/.exec(head)?.[1]);
      if (!(told > next)) throw new Error(`the batches end at ${next}, before ${CATCH_UP}`);
      next = told;
    }
    rates.push(next / ((performance.now() - startMs) / 1000));
  }
  connection.close();
  return {
    name: `catch-up of 1 KiB messages as ${format}`,
    figures: { 'messages/s': median(rates) },
  };
}

/** How long a read takes while 64 connections publish: what a thread of its own for writing buys. */
export async function readsBesidePublishes({ varve }: Targets): Promise<Row> {
  // The stream is there before the first read, whichever comes first.
  await runLoad({
    port: varve,
    connections: 1,
    seconds: 0.2,
    request: post('single', 'text/plain', SMALL),
  });
  const publish = {
    port: varve,
    connections: 64,
    seconds: SECONDS,
    request: post('single', 'text/plain', SMALL),
  };
  const path = '/v1/streams/single/messages?from=-1';
  const read = {
    port: varve,
    connections: 1,
    seconds: SECONDS,
    request: encodeRequest({ method: 'GET', path }),
  };
  const [published, reads]: LoadResult[][] = [[], []];
  for (let run = 0; run < RUNS; run++) {
    const [writing, reading] = await Promise.all([runLoad(publish), runLoad(read)]);
    published?.push(writing);
    reads?.push(reading);
  }
  return {
    name: 'reads of one message beside 64 publishers',
    figures: {
      'reads p50 ms': median(reads?.map(({ p50Ms }) => p50Ms) ?? []),
      'reads p99 ms': median(reads?.map(({ p99Ms }) => p99Ms) ?? []),
      'publishes/s': median(published?.map(({ perSecond }) => perSecond) ?? []),
    },
  };
}

async function repeat(run: () => Promise<LoadResult>): Promise<LoadResult> {
  const results: LoadResult[] = [];
  for (let index = 0; index < RUNS; index++) results.push(await run());
  return {
    perSecond: median(results.map(({ perSecond }) => perSecond)),
    p50Ms: median(results.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(results.map(({ p99Ms }) => p99Ms)),
  };
}
