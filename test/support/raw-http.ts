/** The API behind a real socket, for requests that no HTTP client would send. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { createBodyBudget } from '../../lib/http/body-budget.ts';
import { startServing } from '../../lib/http/serve.ts';
import type { Answer, Api } from './api.ts';

export interface RawHttp extends AsyncDisposable {
  readonly port: number;
  /** Sends the bytes on a connection of their own and reads its answer until it is closed. */
  exchange(sent: string): Promise<Pick<Answer, 'status' | 'headers' | 'json'>>;
  /** Sends the bytes and goes away without waiting for anything. */
  breakOff(sent: string): Promise<void>;
}

export async function startRawHttp({ components }: Api): Promise<RawHttp> {
  const server = await startServing({
    components,
    telemetry: { error: () => undefined },
    bodies: createBodyBudget(),
    insecure: false,
    host: '127.0.0.1',
    port: 0,
  });
  const { port } = server.address;
  return {
    port,
    async exchange(sent) {
      const socket = connect(port, '127.0.0.1');
      const parts: Buffer[] = [];
      socket.on('data', (part) => parts.push(part));
      socket.write(sent);
      await once(socket, 'close');
      return parseAnswer(Buffer.concat(parts).toString('utf8'));
    },
    async breakOff(sent) {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      await new Promise<void>((resolve) => socket.write(sent, () => resolve()));
      socket.destroy();
      await once(socket, 'close');
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** Asks the server to close the connection after the answer, so that its end is the answer's end. */
export function requestHead(line: string, headers: { readonly [name: string]: string }): string {
  const all = { connection: 'close', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

function parseAnswer(text: string) {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const body = rest.join('\r\n\r\n');
  return { status: Number(statusLine.split(' ')[1]), headers, json: () => JSON.parse(body) };
}
