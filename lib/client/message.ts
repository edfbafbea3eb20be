/**
 * A message as a reader gets it. Nothing is parsed before it is asked for. The body is a view of the
 * page that brought it: `slice()` it to keep one message of a large page for long.
 */
import { scanMembers } from '../wire/json-text.ts';
import type { WireRecord } from '../wire/record.ts';

/** A byte order mark is part of what was published; bytes that are no UTF-8 throw. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });

export interface JsonMembers {
  readonly [name: string]: unknown;
}

export class Message {
  readonly offset: number;
  /** When the service took it in: ms since 1970 UTC. */
  readonly timestamp: number;
  readonly body: Uint8Array;
  readonly contentType: string;
  readonly key: string | undefined;
  readonly routingKey: string | undefined;
  readonly #headers: Uint8Array | undefined;
  readonly #properties: Uint8Array | undefined;

  constructor(
    place: { readonly offset: number; readonly timestamp: number },
    { body, contentType, key, routingKey, headers, properties }: WireRecord,
  ) {
    this.offset = place.offset;
    this.timestamp = place.timestamp;
    this.body = body;
    this.contentType = contentType;
    this.key = key && decoder.decode(key);
    this.routingKey = routingKey && decoder.decode(routingKey);
    this.#headers = headers;
    this.#properties = properties;
  }

  /** The body parsed, whatever its content type says. Throws SyntaxError when it is no JSON. */
  json(): unknown {
    return JSON.parse(this.text());
  }

  /** Throws TypeError when the body is no UTF-8. */
  text(): string {
    return decoder.decode(this.body);
  }

  /** Empty when there are none. */
  get headers(): JsonMembers {
    return parseMembers(this.#headers);
  }

  /** As they were published, with all digits of their numbers. */
  get headersText(): string {
    return this.#headers === undefined ? '{}' : decoder.decode(this.#headers);
  }

  /** `message_id`, `correlation_id`, `type` … by their names of the API. */
  get properties(): JsonMembers {
    return parseMembers(this.#properties);
  }
}

/** Names come from the text: V8 may take one written with escapes for another (see DECISIONS.md). */
function parseMembers(text: Uint8Array | undefined): JsonMembers {
  if (text === undefined) return {};
  const members = scanMembers(text, 0).map(({ name, value }): [string, unknown] => [
    name,
    JSON.parse(decoder.decode(text.subarray(value.start, value.end))),
  ]);
  return Object.fromEntries(members);
}
