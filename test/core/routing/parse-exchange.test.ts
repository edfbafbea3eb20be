import { describe, expect, test } from 'vitest';
import { exchangeDifference } from '../../../lib/core/routing/exchange.ts';
import { exchangeMembers, parseExchange } from '../../../lib/core/routing/parse-exchange.ts';
import { exchangeName, settingsOf } from '../../support/exchange-steps.ts';

function fault(members: object): string {
  const parsed = parseExchange({ ...members });
  return parsed.kind === 'ok' ? 'ok' : `${parsed.code} ${parsed.field}`;
}

describe('declarations', () => {
  test.each([
    [{}, 'invalid_request type'],
    [{ type: null }, 'invalid_request type'],
    [{ type: 'foo' }, 'invalid_setting type'],
    [{ type: 5 }, 'invalid_setting type'],
    [{ type: 'x-delayed-message' }, 'invalid_request delayed_type'],
    [{ type: 'x-delayed-message', delayed_type: 'foo' }, 'invalid_setting delayed_type'],
    [
      { type: 'x-delayed-message', delayed_type: 'x-delayed-message' },
      'invalid_setting delayed_type',
    ],
    [{ type: 'topic', delayed_type: 'topic' }, 'invalid_setting delayed_type'],
    [{ type: 'topic', delayed: 'yes' }, 'invalid_setting delayed'],
    [{ type: 'topic', delayed: true, delayed_type: null }, 'ok'],
    [{ type: 'topic', durable: true }, 'invalid_request durable'],
    [{ type: 'topic', internal: 'yes' }, 'invalid_setting internal'],
    [{ type: 'topic', auto_delete: 1 }, 'invalid_setting auto_delete'],
    [{ type: 'topic', alternate_exchange: 5 }, 'invalid_setting alternate_exchange'],
    [{ type: 'topic', alternate_exchange: '' }, 'invalid_name alternate_exchange'],
    [{ type: 'topic', alternate_exchange: 'amq.default' }, 'invalid_name alternate_exchange'],
    [{ type: 'topic', arguments: [] }, 'invalid_setting arguments'],
    [{ type: 'topic', arguments: { 'x-match': 'all' } }, 'invalid_setting arguments.x-match'],
    [{ type: 'headers', arguments: { 'x-match': 'both' } }, 'invalid_setting arguments.x-match'],
    [{ type: 'headers', arguments: { hash_on: 'a' } }, 'invalid_setting arguments.hash_on'],
    [
      { type: 'x-consistent-hash', arguments: { hash_on: '' } },
      'invalid_setting arguments.hash_on',
    ],
    [{ type: 'direct', arguments: { other: 1 } }, 'invalid_setting arguments.other'],
    [{ type: 'direct', alternate_exchange: null, internal: null, arguments: null }, 'ok'],
  ])('X10: %j: %s', (members, expected) => {
    expect(fault(members)).toBe(expected);
  });

  test.each([
    ['direct', {}],
    ['headers', { 'x-match': 'any' }],
    ['x-consistent-hash', { hash_on: 'tenant' }],
  ])('X1 X10: %s with %j is shown as it was declared', (type, args) => {
    const members = {
      type,
      delayed: true,
      delayed_type: null,
      alternate_exchange: 'ae',
      internal: true,
      auto_delete: true,
      arguments: args,
      deduplication: null,
    };
    const parsed = parseExchange(members);
    expect(parsed.kind === 'ok' && exchangeMembers(parsed.settings)).toEqual(members);
  });
});

test('L1: one that holds by its type is shown by that', () => {
  const members = { type: 'x-delayed-message', delayed_type: 'topic' };
  const parsed = parseExchange(members);
  expect(parsed).toMatchObject({ settings: { type: 'topic', delayed: 'type' } });
  expect(parsed.kind === 'ok' && exchangeMembers(parsed.settings)).toMatchObject(members);
});

test.each([
  [settingsOf('direct'), undefined],
  [settingsOf('topic'), { field: 'type', expected: 'topic', actual: 'direct' }],
  [settingsOf('direct', { internal: true }), { field: 'internal', expected: true, actual: false }],
  [
    settingsOf('direct', { alternateExchange: exchangeName('ae') }),
    { field: 'alternate_exchange', expected: 'ae', actual: null },
  ],
  [
    settingsOf('direct', { deduplication: { header: 'h', cache_size: 1, cache_ttl: null } }),
    { field: 'deduplication', expected: 'set', actual: null },
  ],
])('X10: %j beside a plain direct one differs by %j', (wanted, difference) => {
  expect(exchangeDifference(wanted, settingsOf('direct'))).toEqual(difference);
});
