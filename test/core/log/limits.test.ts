import { expect, test } from 'vitest';
import {
  HEADERS_BYTES_MAX,
  LIST_LIMIT_DEFAULT,
  LIST_LIMIT_MAX,
  MESSAGE_BYTES_MAX,
  MESSAGES_PER_REQUEST_MAX,
  NAME_BYTES_MAX,
  PUBLISHERS_PER_STREAM_MAX,
  READ_BYTES_DEFAULT,
  READ_BYTES_MAX,
  READ_LIMIT_DEFAULT,
  READ_LIMIT_MAX,
  REQUEST_BYTES_MAX,
  SEGMENT_BYTES_DEFAULT,
} from '../../../lib/core/log/limits.ts';

test.each([
  ['a message', MESSAGE_BYTES_MAX, 1_048_576],
  ['a request', REQUEST_BYTES_MAX, 4_194_304],
  ['the headers of a message', HEADERS_BYTES_MAX, 65_536],
])('P6: %s has at most %d bytes', (_what, limit, bytes) => {
  expect(limit).toBe(bytes);
});

test('P6: a request has at most 10 000 messages', () => {
  expect(MESSAGES_PER_REQUEST_MAX).toBe(10_000);
});

test('P9: a name has at most 255 bytes', () => {
  expect(NAME_BYTES_MAX).toBe(255);
});

test('D9: at least 255 publishers are remembered', () => {
  expect(PUBLISHERS_PER_STREAM_MAX).toBeGreaterThanOrEqual(255);
});

test('a segment has 64 MiB unless set otherwise', () => {
  expect(SEGMENT_BYTES_DEFAULT).toBe(67_108_864);
});

test('what one request stores, one read can return', () => {
  expect(READ_BYTES_MAX).toBeGreaterThanOrEqual(REQUEST_BYTES_MAX);
  expect(READ_LIMIT_MAX).toBeGreaterThanOrEqual(MESSAGES_PER_REQUEST_MAX);
});

test('a default never exceeds its limit', () => {
  expect(READ_LIMIT_DEFAULT).toBeLessThanOrEqual(READ_LIMIT_MAX);
  expect(READ_BYTES_DEFAULT).toBeLessThanOrEqual(READ_BYTES_MAX);
  expect(LIST_LIMIT_DEFAULT).toBeLessThanOrEqual(LIST_LIMIT_MAX);
});
