/** Integers: exact up to 2^53 - 1, refused beyond, and kept digit for digit where they are content. */
import { describe, expect } from 'vitest';
import type { Api } from '../support/api.ts';
import { test } from '../support/api-test.ts';
import { encodeBatch, utf8 } from '../support/publish-formats.ts';
import {
  createStream,
  nextOffset,
  numbered,
  publish,
  STREAM,
  told,
} from '../support/publish-steps.ts';

const LARGEST = Number.MAX_SAFE_INTEGER;
const JSON_TYPE = { 'content-type': 'application/json' };

/** Sends JSON as it is written here: `JSON.stringify` would round the numbers in question. */
const post = (api: Api, body: string) =>
  api.call(`POST ${STREAM}/messages`, { body, headers: JSON_TYPE });

/** Written so that a parser gives another integer, or none. */
const INEXACT = [
  '9007199254740992',
  '9007199254740993',
  '-9007199254740992',
  '9007199254740991.4',
  '1e16',
  '1e3',
  '1.0',
  '1.5',
  '-1',
  '"7"',
  'true',
  'null',
  '[]',
];

describe('a member of a publish', () => {
  const members = ['expected_offset', 'publishing_id', 'epoch'];
  const rows = members.flatMap((member) => INEXACT.map((text) => ({ member, text })));

  test.for(rows)('D3: $member is refused as $text', async ({ member, text }, { api }) => {
    await createStream(api);
    const id = member === 'publishing_id' ? '' : ',"publishing_id":1';
    const answer = await post(
      api,
      `{"messages":[{"text":"a"}],"publisher":"p"${id},"${member}":${text}}`,
    );

    expect(told(answer)).toMatchObject({ status: 400, code: 'invalid_request', field: member });
    expect(await nextOffset(api)).toBe(0);
  });

  test.for(INEXACT)(
    'D3: the publishing_id of a message is refused as %s',
    async (text, { api }) => {
      await createStream(api);
      const answer = await post(
        api,
        `{"messages":[{"text":"a","publishing_id":${text}}],"publisher":"p"}`,
      );

      expect(told(answer)).toMatchObject({
        status: 400,
        code: 'invalid_request',
        field: 'messages[0].publishing_id',
      });
      expect(await nextOffset(api)).toBe(0);
    },
  );

  test.for(INEXACT)('P10: a property is refused as %s', async (text, { api }) => {
    await createStream(api);
    const answer = await post(api, `{"messages":[{"text":"a","properties":{"priority":${text}}}]}`);

    expect(told(answer)).toMatchObject({
      status: 400,
      code: 'invalid_request',
      field: 'messages[0].properties.priority',
    });
  });

  test.for([0, 1, LARGEST])('D3 D8: publishing_id and epoch are exact: %d', async (id, { api }) => {
    await createStream(api);
    await publish(api, numbered(1), { publisher: 'p', publishing_id: id, epoch: id });

    const shown = await api.call(`GET ${STREAM}/publishers/p`);
    expect(shown.text).toContain(`"publishing_id":${id},"epoch":${id}`);
  });

  test('D3: ids that would follow 2^53 - 1 are refused', async ({ api }) => {
    await createStream(api);
    const named = { publisher: 'p', publishing_id: LARGEST };

    expect(told(await publish(api, numbered(2), named))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      field: 'publishing_id',
    });
    expect(told(await publish(api, numbered(1), named))).toMatchObject({ status: 200, stored: 1 });
    expect(told(await publish(api, numbered(1), { ...named, publishing_id: 1 }))).toMatchObject({
      duplicates: 1,
    });
  });

  test('D3: ids in a binary batch end at 2^53 - 1 too', async ({ api }) => {
    await createStream(api);
    const record = { body: utf8('a'), contentType: 'text/plain; charset=utf-8' };
    const send = (ids: readonly number[]) =>
      api.call(`POST ${STREAM}/messages?publisher=p`, {
        body: encodeBatch(
          ids.map(() => record),
          ids,
        ),
        headers: { 'content-type': 'application/vnd.varve.messages' },
      });

    expect((await send([LARGEST - 1, LARGEST])).json()).toMatchObject({ stored: 2 });
    expect(told(await send([LARGEST, LARGEST + 1]))).toMatchObject({ status: 400 });
  });
});

describe('a parameter', () => {
  const texts = [...INEXACT.slice(0, -4), '01', '+1', ' 1', '0x1', '', 'abc'];
  const rows = [
    ...texts.map((text) => ({ field: 'expected_offset', line: `POST ${STREAM}/messages`, text })),
    ...texts.map((text) => ({ field: 'publishing_id', line: `POST ${STREAM}/messages`, text })),
    ...texts.map((text) => ({ field: 'limit', line: `GET ${STREAM}/messages`, text })),
    ...texts.map((text) => ({ field: 'max_bytes', line: `GET ${STREAM}/messages`, text })),
    ...texts.map((text) => ({ field: 'limit', line: 'GET /v1/streams', text })),
  ];

  test.for(rows)('$line $field is refused as "$text"', async ({ field, line, text }, { api }) => {
    await createStream(api);
    const query = `${field}=${encodeURIComponent(text)}`;
    const body = line.startsWith('POST') ? { body: 'a' } : {};

    expect(told(await api.call(`${line}?${query}`, body))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      field,
    });
    expect(await nextOffset(api)).toBe(0);
  });
});

describe('a member of another request', () => {
  test.for(INEXACT)('T11: trim before is refused as %s', async (text, { api }) => {
    await createStream(api);
    await publish(api, numbered(3));
    const body = `{"before":${text}}`;

    expect(told(await api.call(`POST ${STREAM}/trim`, { body, headers: JSON_TYPE }))).toMatchObject(
      { status: 400, code: 'invalid_request', field: 'before' },
    );
    expect((await api.call(`GET ${STREAM}`)).json()).toMatchObject({ first: 0, next: 3 });
  });

  test.for(INEXACT.filter((text) => text !== 'null'))(
    'T6: segment_max_bytes is refused as %s',
    async (text, { api }) => {
      const body = `{"segment_max_bytes":${text}}`;

      expect(told(await api.call(`PUT ${STREAM}`, { body, headers: JSON_TYPE }))).toMatchObject({
        status: 400,
        code: 'invalid_setting',
        field: 'segment_max_bytes',
      });
      expect((await api.call(`GET ${STREAM}`)).status).toBe(404);
    },
  );
});

test('P10: in bodies and headers numbers keep every digit', async ({ api }) => {
  await createStream(api);
  const numbers =
    '{"a":9007199254740993,"b":1.10,"c":-0,"d":1E400,"e":123456789012345678901234567890}';
  await post(api, `{"messages":[{"json":${numbers},"headers":${numbers}}]}`);

  const page = await api.call(`GET ${STREAM}/messages`);
  expect(page.text).toContain(`"json":${numbers},"headers":${numbers}}`);
});
