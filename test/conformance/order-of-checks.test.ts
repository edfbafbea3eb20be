/** In which order a publish is judged: one request with every fault, mended one by one. */
import { describe, expect } from 'vitest';
import { test } from '../support/api-test.ts';
import {
  createStream,
  nextOffset,
  numbered,
  publish,
  STREAM,
  told,
} from '../support/publish-steps.ts';

test('P11: validity, token, epoch, publisher, expected offset, store', async ({ api }) => {
  await createStream(api);
  await api.call(`PUT ${STREAM}/fencing-token`, { body: { fencing_token: 'a' } });
  await publish(api, numbered(59));
  await publish(api, numbered(1), { publisher: 'p', publishing_id: 12, epoch: 3 });
  const faults = {
    fencing_token: 'b',
    publisher: 'p',
    epoch: 2,
    publishing_id: 12,
    expected_offset: 5,
  };
  const steps = [
    [[{ text: 'x', json: 1 }], {}, { status: 400, code: 'invalid_request' }],
    [numbered(1), {}, { status: 412, code: 'fenced' }],
    [numbered(1), { fencing_token: 'a' }, { status: 409, code: 'publisher_fenced' }],
    [numbered(1), { epoch: 3 }, { status: 200, stored: 0, duplicates: 1, start: 59 }],
    [numbered(1), { publishing_id: 13 }, { status: 412, code: 'offset_mismatch', next: 60 }],
    [numbered(1), { expected_offset: 60 }, { status: 200, stored: 1, start: 60 }],
  ] as const;

  let request: object = faults;
  for (const [messages, mended, expected] of steps) {
    expect(await nextOffset(api)).toBe(60);
    request = { ...request, ...mended };
    expect(told(await publish(api, messages, request))).toMatchObject(expected);
  }
  expect(await nextOffset(api)).toBe(61);
});

describe('a stream that is missing', () => {
  const json = { 'content-type': 'application/json' };

  test.for([
    ['a broken message', 'POST', '/messages', '{"messages":[{}]}'],
    ['broken JSON', 'POST', '/messages', '{'],
    ['an unknown parameter', 'POST', '/messages?x=1', '{"messages":[{"text":"a"}]}'],
    ['a parameter twice', 'POST', '/messages?raw=true&raw=true', '{}'],
    ['too many bytes', 'POST', '/messages', 'x'.repeat(4_194_305)],
    ['a read from nowhere', 'GET', '/messages?from=nonsense', undefined],
    ['a format that is none', 'GET', '/messages?as=xml', undefined],
    ['a parameter of a read twice', 'GET', '/messages?from=1&from=1', undefined],
    ['a broken trim', 'POST', '/trim', '{"before":-1}'],
    ['a broken change', 'PATCH', '', '{"segment_max_bytes":"x"}'],
    ['a broken token', 'PUT', '/fencing-token', '{}'],
  ] as const)(
    'P11: is told before what is wrong with a request: %s',
    async ([, method, path, body], { api }) => {
      const line = `${method} ${STREAM}${path}`;
      const answer = await api.call(line, body === undefined ? {} : { body, headers: json });

      expect(told(answer)).toMatchObject({
        status: 404,
        code: 'stream_not_found',
        stream: 's',
        side_effects: 'none',
      });
    },
  );
});
