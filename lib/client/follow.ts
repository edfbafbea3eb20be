/**
 * Follows a stream: catches up by pages, then goes on live by an event stream, or by waiting pages where
 * something in front of the server cannot stream. Comes back after every break, at the message behind
 * the last one handed out; ends when its consumer goes away.
 */
import { WAIT_SECONDS_MAX } from '../wire/request-limits.ts';
import { badAnswer, ClientError } from './client-error.ts';
import { type LiveEvent, type LiveTools, liveEvents } from './live-events.ts';
import type { Message } from './message.ts';
import { loadPage, type Page } from './page.ts';
import { pageQuery, type ReadCursor, readPages, type StartOptions, startOf } from './read.ts';
import { pauseBeforeRetry, type Retrying } from './retry.ts';

export interface FollowTools extends LiveTools {
  readonly retrying: Retrying;
}

export type FollowOptions = StartOptions;

interface Follower {
  readonly tools: FollowTools;
  readonly options: StartOptions & { readonly signal: AbortSignal };
  readonly cursor: ReadCursor;
  /** Something in front of the server gives no event streams. */
  isPolling: boolean;
  /** Breaks in a row without news in between. */
  failures: number;
}

/** Ends quietly when the signal aborts. */
export async function* followMessages(
  tools: FollowTools,
  options: StartOptions & { readonly signal: AbortSignal },
): AsyncGenerator<Message, void, void> {
  const follower: Follower = {
    tools,
    options,
    cursor: startOf(options),
    isPolling: false,
    failures: 0,
  };
  const { signal } = options;
  while (!signal.aborted) {
    try {
      yield* catchUp(follower);
      yield* follower.isPolling ? poll(follower) : stayLive(follower);
    } catch (error) {
      if (signal.aborted) return;
      await recover(follower, error);
    }
  }
}

async function* catchUp(follower: Follower): AsyncGenerator<Message, void, void> {
  const { tools, options, cursor } = follower;
  const load = loadPage.bind(undefined, tools.transport);
  for await (const page of readPages(load, options, { ...cursor })) {
    yield* pageMessages(follower, page);
  }
}

async function* poll(follower: Follower): AsyncGenerator<Message, void, void> {
  const { tools, options, cursor } = follower;
  for (;;) {
    const query = { ...pageQuery(options, cursor), waitSeconds: WAIT_SECONDS_MAX };
    const page = await loadPage(tools.transport, query, options.signal);
    if (page.gap !== undefined) options.onGap?.(page.gap);
    follower.failures = 0;
    yield* pageMessages(follower, page);
  }
}

function* pageMessages(
  { cursor, ...follower }: Follower,
  page: Page,
): Generator<Message, void, void> {
  cursor.streamId = page.streamId;
  cursor.from = page.start;
  for (const message of page.messages) {
    cursor.from = message.offset + 1;
    follower.failures = 0;
    yield message;
  }
  cursor.from = page.next;
}

async function* stayLive(follower: Follower): AsyncGenerator<Message, void, void> {
  const { tools, options, cursor } = follower;
  let pings = 0;
  for await (const event of liveEvents(tools, pageQuery(options, cursor), options.signal)) {
    // The first ping only says that it is connected; a second one, that it lasts.
    if (event.kind !== 'ping' || ++pings > 1) follower.failures = 0;
    yield* eventMessages(follower, event);
  }
  throw new ClientError('the event stream ended', { code: 'connection_failed', retryable: true });
}

function* eventMessages(follower: Follower, event: LiveEvent): Generator<Message, void, void> {
  const { cursor, options } = follower;
  if (event.kind === 'gap') {
    options.onGap?.(event.gap);
    cursor.from = event.gap.firstAvailable;
    return;
  }
  if (event.kind === 'batch') {
    for (const message of event.messages) {
      goTo(follower, message.offset);
      cursor.from = message.offset + 1;
      yield message;
    }
  }
  goTo(follower, event.next);
}

/** Only a filter leaves out messages, and nothing ever goes back. */
function goTo({ cursor, options }: Follower, offset: number): void {
  const isPassing = options.filter !== undefined && offset > Number(cursor.from);
  if (offset !== cursor.from && !isPassing) {
    throw badAnswer(`an event goes on at ${offset}, not at ${cursor.from}`);
  }
  cursor.from = offset;
}

/** Throws what no repeat can mend; else waits until it is time for one. */
async function recover(follower: Follower, error: unknown): Promise<void> {
  const { tools, options, cursor } = follower;
  if (!(error instanceof ClientError)) throw error;
  if (error.status === 406 && !follower.isPolling) {
    follower.isPolling = true;
    return;
  }
  const failures = ++follower.failures;
  // Once connected it outlasts any outage; before, the address may be wrong.
  const isOutage = cursor.streamId !== undefined && mayLast(error);
  if (!error.retryable || !(isOutage || failures < tools.retrying.policy.attempts)) throw error;
  try {
    await pauseBeforeRetry(tools.retrying, { error, failures }, options.signal);
  } catch (reason) {
    if (!options.signal.aborted) throw reason;
  }
}

function mayLast({ code, status }: ClientError): boolean {
  return code === 'connection_failed' || status === 429 || (status !== undefined && status >= 500);
}
