import { expect, test } from 'vitest';
import { streamId } from '../../lib/core/log/ids.ts';
import {
  chunkObjectName,
  chunkPrefix,
  parseChunkObjectName,
  streamPrefix,
} from '../../lib/format/object-key.ts';
import { encodeUlid } from '../../lib/format/ulid.ts';

const KEY = {
  streamId: streamId('000102030405060708090a0b0c0d0e0f'),
  ulid: encodeUlid(1_795_946_400_000, '00112233445566778899'),
};
const NAME = '0b/000102030405060708090a0b0c0d0e0f/c/01M8KBYJ80008J4CT4ANK7F24S';

test('an object of chunks is named by its stream and its id', () => {
  expect(chunkObjectName(KEY)).toBe(NAME);
  expect(parseChunkObjectName(NAME)).toEqual(KEY);
  expect(NAME.startsWith(chunkPrefix(KEY.streamId))).toBe(true);
  expect(chunkPrefix(KEY.streamId).startsWith(streamPrefix(KEY.streamId))).toBe(true);
});

test('streams are spread over the prefixes', () => {
  const spread = new Set(
    Array.from({ length: 2_000 }, (_, n) =>
      streamPrefix(streamId(n.toString(16).padStart(32, '0'))).slice(0, 2),
    ),
  );

  expect(spread.size).toBe(256);
});

test.each([
  NAME.replace('0b/', '0c/'),
  NAME.replace('/c/', '/s/'),
  NAME.toLowerCase(),
  `${NAME}/`,
  `x${NAME}`,
  NAME.slice(0, -1),
  '',
])('%j names no object of chunks', (name) => {
  expect(parseChunkObjectName(name)).toBeUndefined();
});
