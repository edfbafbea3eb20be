import { expect, test } from 'vitest';
import { negotiateFormat } from '../../lib/http/read-format.ts';

test.each([
  [null, 'json'],
  ['', 'json'],
  ['  ', 'json'],
  ['*/*', 'json'],
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['text/event-stream', 'sse'],
  ['text/plain', 'text'],
  ['application/vnd.varve.messages', 'binary'],
  ['application/cloudevents-batch+json', 'cloudevents'],
  ['application/cloudevents-batch+json; charset=utf-8, */*;q=0.9', 'cloudevents'],
  ['text/plain; charset=iso-8859-1', 'text'],
  ['Text/Event-Stream', 'sse'],
  ['application/json;q=0.5, text/event-stream', 'sse'],
  ['application/json; Q=0.5 , text/event-stream ; q=0.4', 'json'],
  ['application/x-ndjson, application/json', 'json'],
  ['text/event-stream, */*', 'json'],
  ['text/event-stream, */*;q=0.9', 'sse'],
  // The most specific range decides: JSON is 0.1 although everything else is 1.
  ['application/json;q=0.1, */*', 'ndjson'],
  ['application/*;q=0.2, application/json;q=0.1', 'ndjson'],
  ['application/json;q=0, application/*;q=0, */*;q=0.1', 'sse'],
  ['text/html, application/xml;q=0.9, */*;q=0.8', 'json'],
  ['image/png, text/plain;q=0.1', 'text'],
  ['application/json;q=nonsense, text/plain;q=0.1', 'text'],
  ['text/event-stream;q=0.000, application/json;q=0.001', 'json'],
])('for %j it is %s', (accept, format) => {
  expect(negotiateFormat(accept)).toBe(format);
});

test.each([
  'image/png',
  'text/html, application/xml',
  'application/json;q=0',
  '*/*;q=0',
  'json',
  'application/json+x',
  ',',
])('for %j it is none, and the answer lists what there is', (accept) => {
  expect(() => negotiateFormat(accept)).toThrow(
    expect.objectContaining({
      code: 'not_acceptable',
      details: { field: 'Accept' },
      message: expect.stringMatching(/application\/json.*text\/event-stream.*\?as=/),
    }),
  );
});

test('what cannot be given is quoted, but not without end', () => {
  expect(() => negotiateFormat('x'.repeat(10_000))).toThrow(
    expect.objectContaining({ message: expect.stringMatching(/^.{300,500}$/) }),
  );
});
