/**
 * One event stream, from where a follower is until it ends or breaks. A connection that says nothing for
 * two intervals of its pings is given up: it may be dead without either side knowing.
 */
import { PING_EVERY_MS } from '../wire/request-limits.ts';
import { badAnswer, ClientError } from './client-error.ts';
import { decodeEventBatch } from './event-batch.ts';
import { EventParser, type ServerEvent } from './event-parser.ts';
import { readRequest } from './filter.ts';
import type { Message } from './message.ts';
import { type Gap, integer, type PageQuery, parseGap, startQuery } from './page.ts';
import { eventError } from './problem.ts';
import { type Timer, within } from './timer.ts';
import type { Transport } from './transport.ts';

const SILENCE_MS_MAX = 2 * PING_EVERY_MS;

export type LiveEvent =
  | { readonly kind: 'batch'; readonly messages: readonly Message[]; readonly next: number }
  | { readonly kind: 'gap'; readonly gap: Gap }
  | { readonly kind: 'ping'; readonly next: number };

export interface LiveTools {
  readonly transport: Transport;
  readonly timer: Timer;
}

/** Ends when the server ends it. Throws {@link ClientError} when it breaks, or when the server says so. */
export async function* liveEvents(
  { transport, timer }: LiveTools,
  query: PageQuery,
  signal: AbortSignal,
): AsyncGenerator<LiveEvent, void, void> {
  const place = { stream: query.stream, accept: 'text/event-stream' };
  const { response, close } = await transport.open({
    ...readRequest(place, query, startQuery(query)),
    signal,
  });
  try {
    for await (const event of serverEvents(response, { timer, signal })) {
      if (event.name === 'message') return;
      const live = liveEvent(event);
      if (live !== undefined) yield live;
    }
  } finally {
    close();
  }
}

/** Undefined for what this version does not know. */
function liveEvent({ name, data }: ServerEvent): LiveEvent | undefined {
  const text = () => new TextDecoder().decode(data);
  switch (name) {
    case 'batch':
      return { kind: 'batch', ...decodeEventBatch(data) };
    case 'gap':
      return { kind: 'gap', gap: parseGap(text()) };
    case 'ping':
      return { kind: 'ping', next: integer(/"next":([0-9]+)/.exec(text())?.[1], 'next') };
    case 'error':
      throw eventError(text());
    default:
      return undefined;
  }
}

async function* serverEvents(
  response: Response,
  patience: { readonly timer: Timer; readonly signal: AbortSignal },
): AsyncGenerator<ServerEvent, void, void> {
  const type = response.headers.get('content-type') ?? '';
  if (!type.startsWith('text/event-stream') || response.body === null) {
    throw badAnswer(`events were asked for, not ${JSON.stringify(type)}`);
  }
  const reader = response.body.getReader();
  const parser = new EventParser();
  try {
    for (;;) {
      const piece = await unlessSilent(reader.read(), patience);
      if (piece.done) return;
      yield* parser.push(piece.value);
    }
  } finally {
    // Its end is nobody's concern any more, nor that it may be broken already.
    reader.cancel().catch(() => undefined);
  }
}

/** The clock runs only while something is waited for: a slow consumer is no silent server. */
async function unlessSilent<Result>(
  reading: Promise<Result>,
  { timer, signal }: { readonly timer: Timer; readonly signal: AbortSignal },
): Promise<Result> {
  const fault = `nothing came for ${SILENCE_MS_MAX} ms`;
  try {
    return await within({ timer, ms: SILENCE_MS_MAX, signal, fault }, reading);
  } catch (cause) {
    signal.throwIfAborted();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ClientError(`the event stream broke off: ${reason}`, {
      code: 'connection_failed',
      retryable: true,
      cause,
    });
  }
}
