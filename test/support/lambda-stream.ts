/**
 * The stream that the runtime gives a function, with its peculiarities: it is no `Writable`; the head goes
 * out with the first write, and an end without one sends none of it; other pieces than text, `Buffer` and
 * plain `Uint8Array` are taken for values and written as JSON.
 */
import type { ServerResponse } from 'node:http';
import type { AnswerHead, AnswerStream } from '../../lib/http/lambda/streamed-answer.ts';

export interface RuntimeStream extends AnswerStream {
  readonly writableEnded: boolean;
}

const HEADS = new WeakMap<AnswerStream, AnswerHead>();

export const HttpResponseStream = {
  from(stream: AnswerStream, head: AnswerHead): AnswerStream {
    HEADS.set(stream, JSON.parse(JSON.stringify(head)));
    return stream;
  },
};

export function createRuntimeStream(outgoing: ServerResponse): RuntimeStream {
  function begin(head: AnswerHead): void {
    if (outgoing.headersSent) return;
    outgoing.writeHead(head.statusCode, head.headers);
    outgoing.flushHeaders();
  }
  const stream: RuntimeStream = {
    get destroyed() {
      return outgoing.destroyed;
    },
    get writableEnded() {
      return outgoing.writableEnded;
    },
    write(piece) {
      begin(HEADS.get(stream) ?? WITHOUT_HEAD);
      return outgoing.write(isTaken(piece) ? piece : JSON.stringify(piece));
    },
    end() {
      begin(WITHOUT_HEAD);
      outgoing.end();
    },
    destroy: () => outgoing.destroy(),
    on: (event, listener) => outgoing.on(event, listener),
    once: (event, listener) => outgoing.once(event, listener),
    off: (event, listener) => outgoing.off(event, listener),
  };
  return stream;
}

const WITHOUT_HEAD: AnswerHead = {
  statusCode: 200,
  headers: { 'content-type': 'application/octet-stream' },
};

function isTaken(piece: Uint8Array | string): boolean {
  return typeof piece === 'string' || Buffer.isBuffer(piece) || piece.constructor === Uint8Array;
}
