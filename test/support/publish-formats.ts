/** The same messages as a publish's body in each format that holds several. */
import { encodeFrameHeader, MESSAGES_TYPE } from '../../lib/wire/frame.ts';
import { encodeRecords, type WireRecord } from '../../lib/wire/record.ts';

export interface PublishFormat {
  readonly name: string;
  readonly type: string;
  /** How an error names the message with this index. */
  place(index: number): string;
  /** One message for each text, which becomes its body as a JSON string. */
  encode(texts: readonly string[]): Uint8Array;
}

const element = (index: number) => `messages[${index}]`;
const line = (index: number) => `line ${index + 1}`;

export const PUBLISH_FORMATS: readonly PublishFormat[] = [
  {
    name: 'JSON',
    type: 'application/json',
    place: element,
    encode: (texts) => utf8(JSON.stringify({ messages: texts.map((json) => ({ json })) })),
  },
  {
    name: 'NDJSON',
    type: 'application/x-ndjson',
    place: line,
    encode: (texts) => utf8(texts.map((text) => `${JSON.stringify(text)}\n`).join('')),
  },
  {
    name: 'message lines',
    type: `${MESSAGES_TYPE}+ndjson`,
    place: line,
    encode: (texts) => utf8(texts.map((json) => `${JSON.stringify({ json })}\n`).join('')),
  },
  {
    name: 'binary',
    type: MESSAGES_TYPE,
    place: element,
    encode: (texts) =>
      encodeBatch(
        texts.map((text) => ({
          body: utf8(JSON.stringify(text)),
          contentType: 'application/json',
        })),
      ),
  },
];

/** One frame, as a client sends it. */
export function encodeBatch(
  messages: readonly WireRecord[],
  publishingIds?: readonly number[],
): Uint8Array {
  const records = encodeRecords(messages);
  const frame = { count: messages.length, records, ...(publishingIds && { publishingIds }) };
  return joined(encodeFrameHeader(frame), records);
}

/** A body of exactly so many bytes: eight messages, the last one as long as it takes. */
export function bodyOfSize(format: PublishFormat, bytes: number): Uint8Array {
  const filler = Array.from({ length: 7 }, () => 'x'.repeat(Math.floor(bytes / 8)));
  const sizeWith = (length: number) => format.encode([...filler, 'x'.repeat(length)]).length;
  let length = bytes - sizeWith(0);
  // A longer message has a longer length before it, so the first guess may be some bytes off.
  for (let tries = 0; tries < 4; tries++) length += bytes - sizeWith(length);
  return format.encode([...filler, 'x'.repeat(length)]);
}

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
