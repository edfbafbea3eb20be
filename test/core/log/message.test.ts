import { describe, expect, test } from 'vitest';
import {
  checkContentType,
  checkSizes,
  isJsonType,
  isTextType,
  planHeaders,
} from '../../../lib/core/log/message.ts';

const ok = (...dropped: readonly string[]) => ({ kind: 'ok', dropped });

describe('headers', () => {
  test.each([
    [{}, ok()],
    [{ a: 1, b: null, c: [{}] }, ok()],
    [{ 'x-stream-filter-value': '' }, ok()],
    [{ CC: [], BCC: ['a', ''] }, ok()],
    [{ cc: 1, bcc: 'a' }, ok()],
    [{ 'x-death': 1, a: 1 }, ok('x-death')],
    [
      { 'x-first-death-queue': 'q', 'x-first-death-': 1, 'x-first-deaths': 1, 'X-Death': 1 },
      ok('x-first-death-queue', 'x-first-death-'),
    ],
  ])('P10: are taken: %j', (headers, plan) => {
    expect(planHeaders(headers)).toEqual(plan);
  });

  test.each([
    ['x-stream-filter-value', 1, 'must be a string'],
    ['x-stream-filter-value', null, 'must be a string'],
    ['x-stream-filter-value', ['a'], 'must be a string'],
    ['CC', 'a', 'must be an array of strings'],
    ['CC', null, 'must be an array of strings'],
    ['CC', ['a', 1], 'must be an array of strings'],
    ['BCC', {}, 'must be an array of strings'],
  ])('P10: are refused: %s %j', (name, value, reason) => {
    expect(planHeaders({ [name]: value })).toEqual({
      kind: 'reject',
      code: 'invalid_request',
      field: `headers.${name}`,
      reason: `header ${name} ${reason}`,
    });
  });
});

describe('sizes', () => {
  test.each([
    [0, 0],
    [1_048_576, 65_536],
  ])('P6: %d bytes with %d of headers fit', (messageBytes, headersBytes) => {
    expect(checkSizes({ messageBytes, headersBytes })).toBeUndefined();
  });

  test.for([
    [1_048_577, 0, 'message', 1_048_576, 1_048_577],
    [70_000, 65_537, 'headers', 65_536, 65_537],
    [2_000_000, 70_000, 'headers', 65_536, 70_000],
  ] as const)(
    'P6: %d bytes with %d of headers do not',
    ([messageBytes, headersBytes, field, limit, actual]) => {
      expect(checkSizes({ messageBytes, headersBytes })).toEqual({
        kind: 'reject',
        code: 'message_too_large',
        field,
        reason: `${field} of ${actual} bytes: the ${field} limit is ${limit} bytes`,
        limit,
        actual,
      });
    },
  );
});

describe('a content type', () => {
  test.each([
    'a/b',
    'application/json',
    'text/plain; charset=utf-8',
    'application/vnd.x+json; a="b c"',
    `a/${'b'.repeat(253)}`,
  ])('is taken: %s', (type) => {
    expect(checkContentType(type)).toBeUndefined();
  });

  test.each([
    '',
    'a',
    'a/',
    '/b',
    'a /b',
    'a/b ',
    ' a/b',
    'a/b\r\nx: y',
    'a/é',
    'a/b\u0000',
    `a/${'b'.repeat(254)}`,
  ])('is refused: %j', (type) => {
    expect(checkContentType(type)).toMatchObject({
      kind: 'reject',
      code: 'invalid_request',
      field: 'content_type',
    });
  });

  test.for([
    ['application/json', true, false],
    ['APPLICATION/JSON; charset=utf-8', true, false],
    ['application/vnd.x+json', true, false],
    ['application/vnd.x+JSON ; a=b', true, false],
    ['application/jsonp', false, false],
    ['application/json-seq', false, false],
    ['text/plain', false, true],
    ['TEXT/html', false, true],
    ['text/x+json', true, true],
    ['context/plain', false, false],
    ['application/octet-stream', false, false],
    ['application/x; a=b+json', false, false],
  ] as const)('%s: JSON %s, text %s', ([type, ...expected]) => {
    expect([isJsonType(type), isTextType(type)]).toEqual(expected);
  });
});
