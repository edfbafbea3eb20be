/** Reads server-sent events as a client does, no faster than it is asked to. */
import type { Api } from './api.ts';
import { createLineReader } from './line-reader.ts';
import { STREAM } from './publish-steps.ts';
import { type Query, queryText } from './read-steps.ts';

export interface StreamEvent {
  readonly id?: string;
  readonly event?: string;
  /** Parsed; `[DONE]` stays text. */
  readonly data?: unknown;
}

export interface EventReader {
  readonly headers: Headers;
  /** Undefined when the stream has ended. */
  next(): Promise<StreamEvent | undefined>;
  take(count: number): Promise<readonly StreamEvent[]>;
  /** All events up to the end. */
  rest(): Promise<readonly StreamEvent[]>;
  cancel(): Promise<void>;
}

/** Opens an event stream on `s`; `after` is the id of the last event seen. */
export async function openEvents(
  api: Api,
  query: Query = {},
  after?: string,
): Promise<EventReader> {
  const response = await api.open(`GET ${STREAM}/messages?${queryText(query)}`, {
    headers: {
      accept: 'text/event-stream',
      ...(after !== undefined && { 'last-event-id': after }),
    },
  });
  if (response.status !== 200) throw new Error(`no events: ${await response.text()}`);
  return createEventReader(response);
}

export function createEventReader(response: Response): EventReader {
  const lines = createLineReader(response);
  const next = async () => {
    const fields: string[] = [];
    for (let line = await lines.line(); line !== ''; line = await lines.line()) {
      if (line === undefined) return undefined;
      fields.push(line);
    }
    return parseEvent(fields);
  };
  const take = async (count: number) => {
    const events: StreamEvent[] = [];
    while (events.length < count) {
      const event = await next();
      if (event === undefined) break;
      events.push(event);
    }
    return events;
  };
  return {
    headers: response.headers,
    next,
    take,
    rest: () => take(Number.POSITIVE_INFINITY),
    cancel: () => lines.cancel(),
  };
}

function parseEvent(fields: readonly string[]): StreamEvent {
  const pairs = fields.map((field) => {
    const colon = field.indexOf(': ');
    return [field.slice(0, colon), field.slice(colon + 2)];
  });
  const { data, ...rest } = Object.fromEntries(pairs);
  return { ...rest, data: data === '[DONE]' ? data : JSON.parse(data) };
}
