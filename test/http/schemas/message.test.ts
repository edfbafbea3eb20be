/** The schema of a message takes exactly what a publish takes: one describes, the other decides. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parsePublish } from '../../../lib/http/body/parse-publish.ts';
import { publishMessage } from '../../../lib/http/schemas/message.ts';

const some = <Value>(...values: readonly Value[]) => fc.constantFrom(...values);
/** Whole characters and halves of pairs. */
const text = fc.oneof(some('', 'a', 'ä🜁', '\ud800', 'a\udc00b'), fc.string({ unit: 'binary' }));
const anything = fc.oneof(fc.jsonValue(), some<unknown>(0, -1, 1.5, 2 ** 53, null, true, [], {}));

const properties = fc.dictionary(
  some('message_id', 'type', 'expiration', 'priority', 'timestamp', 'ingested_at', 'id'),
  fc.oneof(text, some('60000', '1s', ''), fc.nat(), anything),
  { maxKeys: 3 },
);
const headers = fc.dictionary(
  some('x-stream-filter-value', 'CC', 'BCC', 'a', 'x-death'),
  fc.oneof(text, fc.array(text, { maxLength: 2 }), anything),
  { maxKeys: 3 },
);

/** Few at a time, so that many messages are right as a whole. */
const members: { readonly [name: string]: fc.Arbitrary<unknown> } = {
  json: anything,
  text: fc.oneof(text, anything),
  base64: some<unknown>('', '/w==', '/+8=', 'AAAA', '/w=', '/w', '!!', 'A===', 1),
  key: fc.oneof(text, anything),
  routing_key: fc.oneof(text, anything),
  headers: fc.oneof(headers, headers, anything),
  properties: fc.oneof(properties, properties, anything),
  content_type: some<unknown>(
    'text/plain',
    'a/b; c=d',
    'text',
    'a/b\r\n',
    'ä/b',
    'a/b ',
    `a/${'b'.repeat(253)}`,
    `a/${'b'.repeat(254)}`,
    1,
  ),
  publishing_id: fc.oneof(fc.nat(), anything),
  offset: anything,
  timestamp: anything,
  attempt: anything,
  delays: anything,
  redelivered: anything,
  ofset: anything,
};

const message = fc
  .subarray(Object.keys(members), { maxLength: 3 })
  .chain((names) =>
    fc.record(Object.fromEntries(names.map((name) => [name, members[name] ?? anything]))),
  )
  .chain((some) => fc.constantFrom<unknown>(some, { ...some, text: 'a' }));

function isPublished(value: unknown): boolean {
  const body = Buffer.from(JSON.stringify({ messages: [value] }));
  try {
    parsePublish(body, {
      headers: new Headers({ 'content-type': 'application/json' }),
      query: {},
    });
    return true;
  } catch {
    return false;
  }
}

test('P10: the schema of a message takes what a publish takes, and refuses what it refuses', () => {
  const seen = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(
      fc.oneof({ weight: 9, arbitrary: message }, { weight: 1, arbitrary: anything }),
      (written) => {
        // As it arrives: undefined members and -0 do not exist in JSON.
        const value: unknown = JSON.parse(JSON.stringify(written));
        const isTaken = isPublished(value);
        seen[isTaken ? 'taken' : 'refused']++;

        expect(publishMessage().safeParse(value).success).toBe(isTaken);
      },
    ),
    { numRuns: 3_000 },
  );

  expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(300);
});
