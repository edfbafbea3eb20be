import { describe, expect, test } from 'vitest';
import { parseAttribute } from '../../../lib/core/log/event-attribute.ts';

const TEXTS = 'must not hold control characters, half a surrogate pair or noncharacters of Unicode';
const VALUES = 'must be a string, a boolean or an integer of 32 bits';
const NAMES = 'is no name of an attribute: these have the letters a to z and digits only';
const TIMES = 'must be a time of RFC 3339, such as 2026-11-29T10:00:00Z';

test.each<[string, string | number | boolean]>([
  ['specversion', '1.0'],
  ['id', ' '],
  ['id', '\u{1f701} "quoted" % \\ ä'],
  ['source', '/sensors/tn-1234567/alerts'],
  ['type', 'com.example.object.deleted.v2'],
  ['subject', 'a b'],
  ['dataschema', 'https://example.com/schema.json#/a'],
  ['time', '2026-11-29T10:00:00Z'],
  ['time', '1969-12-31t23:59:59.123456789+05:30'],
  ['datacontenttype', 'application/json'],
  ['datacontenttype', 'text/plain; charset="utf-8"'],
  ['partitionkey', 'a'],
  ['traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
  ['empty', ''],
  ['0', 'a'],
  ['averylongnamethatisonlydiscouraged', 'a'],
  ['flag', true],
  ['flag', false],
  ['count', 0],
  ['count', -2_147_483_648],
  ['count', 2_147_483_647],
  ['id', '￼�'],
])('CE2: %s may be %j', (name, value) => {
  expect(parseAttribute(name, value)).toEqual({ kind: 'ok', value });
});

describe.each(['specversion', 'id', 'source', 'type', 'subject', 'dataschema', 'time'])(
  '%s',
  (name) => {
    test.each([5, true, null, undefined, Number.NaN])('CE2: is no %s', (value) => {
      expect(parseAttribute(name, value)).toEqual({ kind: 'reject', reason: 'must be a string' });
    });

    test('CE2: is not empty', () => {
      expect(parseAttribute(name, '')).toEqual({ kind: 'reject', reason: 'must not be empty' });
    });
  },
);

test.each<[string, unknown, string]>([
  ['specversion', '0.3', 'must be "1.0", the version that is taken, not "0.3"'],
  ['specversion', '1', 'must be "1.0", the version that is taken, not "1"'],
  ['id', 'a\u0000', TEXTS],
  ['id', 'a\n', TEXTS],
  ['id', '\u007f', TEXTS],
  ['id', '\u009f', TEXTS],
  ['type', '\ud800', TEXTS],
  ['type', 'a\udc00b', TEXTS],
  ['subject', '\ufdd0', TEXTS],
  ['subject', '\uffff', TEXTS],
  ['ext', '\u{10ffff}', TEXTS],
  ['source', 'a b', 'must be a URI reference (RFC 3986)'],
  ['dataschema', '/a', 'must be a URI with its scheme (RFC 3986)'],
  ['time', 'yesterday', TIMES],
  ['time', '1795946400000', TIMES],
  ['time', '2026-11-29', TIMES],
  ['time', '2026-11-29T10:00:00', TIMES],
  ['time', '2026-02-30T10:00:00Z', TIMES],
  ['time', '2026-11-29 10:00:00Z', TIMES],
  ['datacontenttype', 'json', 'must be type/subtype in ASCII, at most 255 characters'],
  ['datacontenttype', 'a/ä', 'must be type/subtype in ASCII, at most 255 characters'],
  ['partitionkey', '', 'must not be empty'],
  ['partitionkey', 5, 'must be a string'],
  ['count', 2_147_483_648, VALUES],
  ['count', -2_147_483_649, VALUES],
  ['count', 1.5, VALUES],
  ['count', Number.NaN, VALUES],
  ['ext', undefined, VALUES],
  ['ext', null, VALUES],
  ['data', 'a', NAMES],
  ['', 'a', NAMES],
  ['A', 'a', NAMES],
  ['a_b', 'a', NAMES],
  ['a-b', 'a', NAMES],
  ['ä', 'a', NAMES],
  ['__proto__', 'a', NAMES],
])('CE2: %s is not %j', (name, value, reason) => {
  expect(parseAttribute(name, value)).toEqual({ kind: 'reject', reason });
});
