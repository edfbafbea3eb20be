/** A body that is one message as it stands: its type is that of the request (api, "anything else"). */
import { isUtf8 } from 'node:buffer';
import { BatchBuilder } from '../../services/batch-builder.ts';
import { messageDelay } from './message-delay.ts';
import type { ParsedPublish } from './parse-publish.ts';
import type { PublishQuery } from './publish-options.ts';

const HEADER_PREFIX = 'varve-header-';

export function parseRawMessage(
  body: Uint8Array,
  from: { readonly contentType: string; readonly headers: Headers; readonly query: PublishQuery },
): ParsedPublish {
  const { contentType, query } = from;
  const headers = messageHeaders(from.headers);
  const builder = new BatchBuilder();
  builder.add(
    {
      body,
      contentType,
      isJson: false,
      ...(query.key !== undefined && { key: query.key }),
      ...(query.routing_key !== undefined && { routingKey: query.routing_key }),
      ...(headers && { headers }),
      ...messageDelay(query, (name) => name),
    },
    'the message',
  );
  return { built: builder.finish(), options: {} };
}

/** `varve-header-<name>`; HTTP has no case in names, so these arrive in lower case. */
function messageHeaders(headers: Headers) {
  const entries: [string, string][] = [];
  headers.forEach((value, name) => {
    if (!name.startsWith(HEADER_PREFIX)) return;
    entries.push([name.slice(HEADER_PREFIX.length), sentText(value)]);
  });
  if (entries.length === 0) return undefined;
  // Not assigned one by one: a header named __proto__ would vanish.
  const parsed = Object.fromEntries(entries);
  return { parsed, text: Buffer.from(JSON.stringify(parsed)) };
}

/** HTTP gives header bytes as Latin-1; clients send UTF-8 in them, and it is taken as such. */
export function sentText(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
