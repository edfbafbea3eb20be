/** What the description says of the API as a whole, and of its chapters. */
import type { ApiDocument } from './api-document.ts';
import type { Tag } from './operation.ts';

const DESCRIPTION = `
A durable event log over plain HTTP. Publish messages to a stream, read them from any position, follow
it live. What is acknowledged is on disk.

Offsets count from 0 without holes, so \`next\` is the number of messages ever published to a stream.
Times are integer milliseconds since 1970 UTC, ranges half-open. A duration is an integer with a unit
(\`7D\`, \`500ms\`), or milliseconds.

Names have 1 to 255 bytes of UTF-8 without control characters; they are not \`.\` or \`..\`, and do not
begin with \`amq.\` or \`varve.\`. In a path they are percent-encoded, a slash too (\`%2F\`).

Integers in JSON are written as integers; beyond 2^53 - 1 they are refused, never rounded. Numbers
inside bodies and headers of messages keep their digits. A parameter or member that is not known is
refused by its name, and so is a parameter given twice. Answers may gain members: pass over those you
do not know.

Errors are \`application/problem+json\` with a stable \`code\`, with \`retryable\`, and with
\`side_effects\`: whether anything may have changed. \`HEAD\` is answered wherever \`GET\` is, \`OPTIONS\`
everywhere. \`X-Request-Id\` and a valid \`traceparent\` come back as they were sent, and faults are logged
with them.

Bodies of requests may be compressed (\`Content-Encoding: gzip\` or \`zstd\`); those of publishes
hold at most 4 MiB, any other 64 KiB, compressed or not. Without a \`Content-Type\`, or with what \`curl -d\` sends by itself, the body of a
publish is one message of text, and any other body is JSON.
`;

export const API_INFO: ApiDocument['info'] = {
  title: 'Varve',
  version: '1',
  description: unwrapped(DESCRIPTION),
};

const CHAPTERS: { readonly [Name in Tag]: string } = {
  Publish: 'One request is one atomic step: all of its messages are stored in a row, or none.',
  Read: 'From any position, a page at a time, waiting for what comes, or as a stream of events.',
  Streams: 'Streams are declared, described, changed and deleted by name.',
  Retention: 'What of a stream is kept, and who may write to it.',
  Publishers: 'Named publishers number their messages, so that a repeat is recognised.',
  Consumers: 'A consumer is a name with an offset of its own: where it goes on reading.',
  Exchanges:
    'Exchanges take messages and hand them on to the streams that are bound to them, by key or headers.',
  Delayed: 'Messages that are held until their time: listed, counted, cancelled.',
  Service: 'The state and the description of the service itself.',
};

export const TAGS: ApiDocument['tags'] = Object.entries(CHAPTERS).map(([name, description]) => {
  return { name, description };
});

/** The lines of a paragraph as one. */
function unwrapped(text: string): string {
  return text.trim().replaceAll(/(?<!\n)\n(?!\n)/g, ' ');
}
