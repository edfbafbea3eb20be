/** Events as the CloudEvents library makes and reads them, and as any sender may make them. */
import { CloudEvent, HTTP } from 'cloudevents';
import fc from 'fast-check';
import type { Answer, Api } from './api.ts';
import { STREAM } from './publish-steps.ts';

export const EVENT_TYPE = 'application/cloudevents+json';
export const BATCH_TYPE = 'application/cloudevents-batch+json';

export type Mode = 'structured' | 'batch' | 'binary';
export const MODES: readonly Mode[] = ['structured', 'batch', 'binary'];

/** An event as its JSON has it. */
export type EventMembers = Readonly<Record<string, unknown>>;

/** Publishes events as the library writes them: all at once as a batch, else one after the other. */
export async function publishEvents(api: Api, mode: Mode, events: readonly CloudEvent<unknown>[]) {
  const requests = mode === 'batch' ? [batch(events)] : events.map((event) => message(mode, event));
  const answers: Answer[] = [];
  for (const request of requests) answers.push(await api.call(`POST ${STREAM}/messages`, request));
  return answers;
}

function batch(events: readonly CloudEvent<unknown>[]) {
  return { headers: { 'content-type': BATCH_TYPE }, body: JSON.stringify(events) };
}

function message(mode: Mode, event: CloudEvent<unknown>) {
  const { headers, body } = mode === 'binary' ? HTTP.binary(event) : HTTP.structured(event);
  const entries = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    name.startsWith('ce-') ? encodeHeader(String(value)) : String(value),
  ]);
  return {
    headers: Object.fromEntries(entries),
    body: body instanceof Uint8Array ? body : String(body ?? ''),
  };
}

/** As the HTTP binding wants it (3.1.3.2); the library leaves it to its users. */
export function encodeHeader(value: string): string {
  return value.replace(/[^!-~]|["%]/gu, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
}

/** The events of a page as the library reads them. */
export async function readEvents(api: Api): Promise<readonly EventMembers[]> {
  const answer = await api.call(`GET ${STREAM}/messages?limit=10000&max_bytes=4194304`, {
    headers: { accept: BATCH_TYPE },
  });
  const headers = { 'content-type': answer.headers.get('content-type') ?? '' };
  const events = HTTP.toEvent<unknown>({ headers, body: answer.text });
  if (!Array.isArray(events)) throw new Error(`no batch: ${answer.text}`);
  return events.map((event) => ({ ...event }));
}

/** Text that attributes may hold; spaces, quotes and percent signs more often than they come. */
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }),
      fc.constantFrom(' ', '"', '%', '%41', '\\', ',', 'ä', '\u{1f701}', '\u2028'),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => parts.join(''))
  .filter((value) => !/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u.test(value));

/** What the library makes something else of, and what is no extension. */
const TAKEN = new Set([
  ...['id', 'time', 'type', 'source', 'specversion', 'datacontenttype', 'subject', 'dataschema'],
  ...['data', 'partitionkey', 'schemaurl', 'datacontentencoding'],
]);
const extensionName = fc
  .string({ unit: fc.constantFrom(...'abcxyz0189'), minLength: 1, maxLength: 8 })
  .filter((name) => !TAKEN.has(name));

const data = fc.oneof(
  fc.record({
    datacontenttype: fc.constantFrom('application/json', 'application/vnd.x+json', 'text/json'),
    // Text as JSON the library sends without its quotes in binary mode; -0 it always sends as 0.
    data: fc
      .oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()))
      .map((value): unknown => JSON.parse(JSON.stringify(value))),
  }),
  fc.record({
    datacontenttype: fc.constantFrom('text/plain', 'application/xml', 'image/svg+xml'),
    data: fc.string({ unit: 'binary', minLength: 1 }),
  }),
  fc.record({
    datacontenttype: fc.constantFrom('application/octet-stream', 'image/png'),
    data: fc.uint8Array({ minLength: 1, maxLength: 50 }),
  }),
  fc.constant({ datacontenttype: 'application/json' }),
);

const attributes = fc.record(
  {
    id: text,
    source: fc.oneof(fc.webUrl(), fc.constantFrom('/a/b', 'urn:x:y', '%C3%A4?q#f')),
    type: text,
    time: fc
      .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
      .map((date) => date.toISOString()),
    subject: text,
    dataschema: fc.webUrl(),
    partitionkey: text,
  },
  { requiredKeys: ['id', 'source', 'type', 'time'] },
);

const value = (withTypes: boolean) =>
  withTypes
    ? fc.oneof(text, fc.constant(''), fc.boolean(), fc.integer())
    : fc.oneof(text, fc.constant(''));

/** Valid events; with extensions of text alone where a mode has no types. */
export function anyEvent(withTypes: boolean): fc.Arbitrary<CloudEvent<unknown>> {
  return fc
    .tuple(attributes, data, fc.dictionary(extensionName, value(withTypes), { maxKeys: 4 }))
    .map(
      ([own, payload, extensions]) =>
        new CloudEvent<unknown>({ ...extensions, ...payload, ...own }),
    );
}
