/**
 * A body that goes on, made one piece at a time when its reader takes it: a slow one is waited for and
 * fills no buffer, and one that goes away ends the work at once (SPEC LR5). A server writes the pieces
 * itself, without a web stream in between.
 */
import type { ServerResponse } from 'node:http';
import { type LinkedAbort, linkAbort } from '../../services/linked-abort.ts';
import type { AnswerHeaders } from '../answer.ts';
import type { AllTurns } from '../turns.ts';

type Pieces = AsyncGenerator<Uint8Array<ArrayBuffer>, void, void>;

export interface LiveBody {
  readonly headers: AnswerHeaders;
  readonly closing: AbortSignal;
  readonly turns: AllTurns;
  /** Called when the first piece is to be made, with a signal that aborts when nobody takes another. */
  start(signal: AbortSignal): Pieces;
}

const LIVE_OF = new WeakMap<Response, LiveBody>();

export function liveAnswer(body: LiveBody): Response {
  const response = new Response(streamOf(body), { headers: body.headers });
  LIVE_OF.set(response, body);
  return response;
}

/** Undefined for an answer with a body of another kind. */
export function liveBodyOf(response: Response): LiveBody | undefined {
  return LIVE_OF.get(response);
}

/** Never rejects: there is nobody left to be told. */
export async function writeLive(outgoing: ServerResponse, body: LiveBody): Promise<void> {
  outgoing.writeHead(200, body.headers);
  outgoing.flushHeaders();
  try {
    await writeLivePieces(outgoing, body);
  } catch {
    outgoing.destroy();
  }
}

/** What pieces are written to: the answer on a socket, or the stream that a function was given. */
export interface PieceSink {
  readonly destroyed: boolean;
  /** False when it holds enough: wait for `drain` then. */
  write(piece: Uint8Array): boolean;
  end(): unknown;
  once(event: 'drain' | 'close', listener: () => void): unknown;
  off(event: 'drain' | 'close', listener: () => void): unknown;
}

/** Writes all pieces and the end. Rejects as the pieces do. */
export async function writeLivePieces(outgoing: PieceSink, body: LiveBody): Promise<void> {
  const life = linkAbort(body.closing);
  outgoing.once('close', life.end);
  const pieces = body.start(life.signal);
  try {
    for (;;) {
      await body.turns.live.take();
      if (outgoing.destroyed) break;
      const { value, done } = await pieces.next();
      if (done) break;
      if (!outgoing.write(value)) await drained(outgoing);
    }
    outgoing.end();
  } finally {
    life.end();
    await pieces.return();
  }
}

function drained(outgoing: PieceSink): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      outgoing.off('drain', end);
      outgoing.off('close', end);
      resolve();
    };
    if (outgoing.destroyed) {
      resolve();
      return;
    }
    outgoing.once('drain', end);
    outgoing.once('close', end);
  });
}

/** The same for whoever sees only the `Response`. Nothing is held before its first pull. */
function streamOf({ closing, turns, start }: LiveBody): ReadableStream<Uint8Array> {
  let live: { readonly life: LinkedAbort; readonly pieces: Pieces } | undefined;
  let isGone = false;
  const begin = () => {
    const life = linkAbort(closing);
    return { life, pieces: start(life.signal) };
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await turns.live.take();
        // Whoever left while it waited for its turn is never begun, since nothing would end it.
        if (isGone) return;
        live ??= begin();
        const { value, done } = await live.pieces.next();
        if (value !== undefined) controller.enqueue(value);
        if (!done) return;
        live.life.end();
        controller.close();
      },
      async cancel() {
        isGone = true;
        live?.life.end();
        await live?.pieces.return();
      },
    },
    { highWaterMark: 0 },
  );
}
