/**
 * A load generator on bare sockets: it sends prepared bytes and counts answers, so that what is
 * measured is the server and not an HTTP client.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly contentType?: string;
  readonly body?: Uint8Array;
}

export function encodeRequest({ method, path, contentType, body }: RawRequest): Buffer {
  const type = contentType === undefined ? '' : `content-type: ${contentType}\r\n`;
  const length = body === undefined ? '' : `content-length: ${body.length}\r\n`;
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${type}${length}\r\n`;
  return Buffer.concat([Buffer.from(head), body ?? Buffer.alloc(0)]);
}

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

/** One connection, one request at a time. Answers must have a content length. */
export class RawConnection {
  readonly #socket: Socket;
  #received: Buffer[] = [];
  #size = 0;
  /** Bytes the answer needs in all, once its head is there. */
  #needed = Number.POSITIVE_INFINITY;
  #done: ((answer: Buffer) => void) | undefined;
  #failed: ((error: Error) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (data) => this.#receive(data));
    socket.on('close', () => this.#failed?.(new Error('the server closed the connection')));
    socket.on('error', (error) => this.#failed?.(error));
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  async send(request: Buffer): Promise<RawAnswer> {
    const bytes = await new Promise<Buffer>((resolve, reject) => {
      this.#done = resolve;
      this.#failed = reject;
      this.#socket.write(request);
    });
    const end = bytes.indexOf('\r\n\r\n');
    const head = bytes.toString('latin1', 0, end);
    const status = Number(head.slice(9, 12));
    const body = bytes.subarray(end + 4);
    if (status !== 200) throw new Error(`answered ${status}: ${body.toString().slice(0, 200)}`);
    return { status, head, body };
  }

  close(): void {
    this.#failed = undefined;
    this.#socket.destroy();
  }

  #receive(data: Buffer): void {
    this.#received.push(data);
    this.#size += data.length;
    if (this.#needed === Number.POSITIVE_INFINITY) this.#readHead();
    if (this.#size < this.#needed) return;

    const answer = this.#received.length === 1 ? data : Buffer.concat(this.#received);
    this.#received = [];
    this.#size = 0;
    this.#needed = Number.POSITIVE_INFINITY;
    this.#done?.(answer);
  }

  #readHead(): void {
    const bytes = this.#received.length === 1 ? this.#received[0] : Buffer.concat(this.#received);
    const end = bytes?.indexOf('\r\n\r\n') ?? -1;
    if (bytes === undefined || end < 0) return;
    const length = /content-length: *([0-9]+)/i.exec(bytes.toString('latin1', 0, end))?.[1];
    // Not thrown: nobody would catch it in a listener, and servers that were started would be left behind.
    if (length === undefined) {
      this.#failed?.(new Error('an answer without a content length'));
      this.#socket.destroy();
      return;
    }
    this.#needed = end + 4 + Number(length);
  }
}
