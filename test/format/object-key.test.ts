import { expect, test } from 'vitest';
import { streamId } from '../../lib/core/log/ids.ts';
import {
  chunkObjectName,
  chunkPrefix,
  parseChunkObjectName,
  parseSegmentObjectName,
  segmentObjectName,
  segmentPrefix,
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

const SEGMENT = { ...KEY, first: 300, end: Number.MAX_SAFE_INTEGER };
const SEGMENT_NAME =
  '0b/000102030405060708090a0b0c0d0e0f/s/00000000000000000300-00009007199254740991-01M8KBYJ80008J4CT4ANK7F24S';

test('an object of a segment is named by its stream, its offsets and its id', () => {
  expect(segmentObjectName(SEGMENT)).toBe(SEGMENT_NAME);
  expect(parseSegmentObjectName(SEGMENT_NAME)).toEqual(SEGMENT);
  expect(SEGMENT_NAME.startsWith(segmentPrefix(KEY.streamId))).toBe(true);
  expect(segmentPrefix(KEY.streamId).startsWith(streamPrefix(KEY.streamId))).toBe(true);
});

test('objects of segments sort by their offsets', () => {
  const firsts = [0, 9, 10, 99_999, 2 ** 52];
  const names = firsts.map((first) => segmentObjectName({ ...SEGMENT, first }));

  expect(names.toSorted()).toEqual(names);
});

test.each([
  [5, 5],
  [6, 5],
  [-1, 5],
  [0, 2 ** 53],
  [0.5, 2],
])('none is named by [%d, %d)', (first, end) => {
  expect(() => segmentObjectName({ ...SEGMENT, first, end })).toThrow('no range');
});

test.each([
  NAME,
  SEGMENT_NAME.replace('0b/', '0c/'),
  SEGMENT_NAME.replace('/s/', '/c/'),
  SEGMENT_NAME.replace('00000000000000000300', '300'),
  SEGMENT_NAME.replace('00000000000000000300', '00009007199254740991'),
  SEGMENT_NAME.replace('00009007199254740991', '00009007199254740992'),
  SEGMENT_NAME.replace('00009007199254740991', '90000000000000000000'),
  SEGMENT_NAME.toLowerCase(),
  `${SEGMENT_NAME}/`,
  `x${SEGMENT_NAME}`,
  SEGMENT_NAME.slice(0, -1),
  '',
])('%j names no object of a segment', (name) => {
  expect(parseSegmentObjectName(name)).toBeUndefined();
});
