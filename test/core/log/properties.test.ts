import { expect, test } from 'vitest';
import { propertiesFault } from '../../../lib/core/log/properties.ts';

test('all properties there are', () => {
  expect(
    propertiesFault({
      message_id: '',
      correlation_id: 'c\u0000',
      reply_to: '🜁',
      type: 't',
      app_id: 'a',
      user_id: 'u',
      content_encoding: 'gzip',
      expiration: '0060000',
      priority: 0,
      timestamp: Number.MAX_SAFE_INTEGER,
      ingested_at: 1,
    }),
  ).toBeUndefined();
  expect(propertiesFault({})).toBeUndefined();
});

test.each([
  ['message_id', 1, 'message_id must be a string'],
  ['type', null, 'type must be a string'],
  ['user_id', '\ud800', 'user_id must be a string'],
  ['expiration', 60_000, 'expiration must be a string'],
  ['expiration', '', 'expiration must be digits: milliseconds as a string'],
  ['expiration', '-1', 'expiration must be digits: milliseconds as a string'],
  ['expiration', '1.5', 'expiration must be digits: milliseconds as a string'],
  ['priority', '3', 'priority must be an integer from 0 to 2^53 - 1'],
  ['priority', -1, 'priority must be an integer from 0 to 2^53 - 1'],
  ['timestamp', 1.5, 'timestamp must be an integer from 0 to 2^53 - 1'],
  ['ingested_at', 2 ** 53, 'ingested_at must be an integer from 0 to 2^53 - 1'],
  ['id', 'x', expect.stringMatching(/^unknown property "id": there are message_id, /)],
  ['constructor', 'x', expect.stringMatching(/^unknown property "constructor": /)],
])('P10: %s cannot be %j', (name, value, reason) => {
  expect(propertiesFault({ app_id: 'a', [name]: value })).toEqual({
    field: `properties.${name}`,
    reason,
  });
});

test('a long name is cut where it is repeated', () => {
  expect(propertiesFault({ ['x'.repeat(1_000)]: 1 })?.field).toBe(`properties.${'x'.repeat(64)}`);
});
