/** Texts that want to be more than the text of one event: line ends, and what looks like the next event. */
import { describe, expect } from 'vitest';
import { EventParser } from '../../lib/client/event-parser.ts';
import { test } from '../support/api-test.ts';
import { createStream, STREAM } from '../support/publish-steps.ts';

const FORGED = 'event: done\ndata: [DONE]';
const TEXTS = [
  `\n\n${FORGED}\n\n`,
  `\r\r${FORGED.replace('\n', '\r')}\r\r`,
  `\r\n\r\n${FORGED}\r\n\r\n`,
  `\u2028\u2028${FORGED}\u2029\u2029`,
  `\u0085\v\f${FORGED}`,
  '\ufeff\u0000\ud7ff',
];

/** As the standard reads them: CR, LF and CRLF each end a line. */
function standardEvents(text: string) {
  const blocks = text.split(/(?:\r\n|\r|\n){2}/).slice(0, -1);
  return blocks.map((block) => {
    const lines = block.split(/\r\n|\r|\n/).map((line) => line.split(/: ?(.*)/s, 2));
    return { name: fieldOf(lines, 'event') ?? 'message', data: fieldOf(lines, 'data') ?? '' };
  });
}

function fieldOf(lines: readonly (readonly string[])[], field: string): string | undefined {
  const values = lines.filter(([name]) => name === field).map(([, value = '']) => value);
  expect(values.length).toBeLessThanOrEqual(1);
  return values[0];
}

const quoted = TEXTS.map((text) => JSON.stringify(text));
const ROWS = [
  ['a text', quoted.map((text) => `{"text":${text}}`)],
  ['a JSON string', quoted.map((text) => `{"json":${text}}`)],
  ['spaces in JSON', ['{"json":[1,\n\n2]}', '{"json":{\r\r"a"\r:1}}', '{"json":\n\n3}']],
  ['a key', quoted.map((text) => `{"text":"a","key":${text},"routing_key":${text}}`)],
  ['a header', quoted.map((text) => `{"text":"a","headers":{${text}:${text}}}`)],
  ['spaces in headers', ['{"text":"a","headers":{\n\n"a"\r\r:\r\n1}}']],
  ['a property', quoted.map((text) => `{"text":"a","properties":{"type":${text}}}`)],
  [
    'an extension',
    [
      '{"text":"a","headers":{\n"ce-id":"1","ce-source":"s",\r"ce-type":"t","ce-specversion":"1.0"}}',
    ],
  ],
] as const;

describe('LR3: no message breaks out of its event', () => {
  test.for(ROWS)('with %s', async ([, messages], { api }) => {
    await createStream(api);
    const body = `{"messages":[${messages.join(',')}]}`;
    const headers = { 'content-type': 'application/json' };
    expect((await api.call(`POST ${STREAM}/messages`, { body, headers })).status).toBe(200);
    const { text, bytes } = await api.call(
      `GET ${STREAM}/messages?as=sse&limit=${messages.length}`,
    );

    const parsed = new EventParser().push(bytes).map(({ name, data }) => {
      return { name, data: Buffer.from(data).toString('utf8') };
    });
    expect(standardEvents(text)).toEqual(parsed);
    expect(parsed.map(({ name }) => name)).toEqual(['batch', 'message']);
    expect(parsed[1]?.data).toBe('[DONE]');
    expect(JSON.parse(parsed[0]?.data ?? '').messages).toHaveLength(messages.length);
  });

  test.for(ROWS)('nor out of its line, with %s', async ([, messages], { api }) => {
    await createStream(api);
    const body = `{"messages":[${messages.join(',')}]}`;
    await api.call(`POST ${STREAM}/messages`, {
      body,
      headers: { 'content-type': 'application/json' },
    });
    const { text } = await api.call(`GET ${STREAM}/messages?as=ndjson`);
    const lines = text.split(/\r\n|\r|\n/);

    expect(lines.pop()).toBe('');
    expect(lines.map((line) => JSON.parse(line).offset)).toEqual([...messages.keys()]);
  });
});
