import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  applyChange,
  defaultSegmentMaxAgeMs,
  effectiveSettings,
  firstDifference,
  formatSetting,
  parseSettings,
  SETTING_NAMES,
  type SettingName,
  type SettingValue,
  type StreamSettings,
} from '../../../lib/core/log/settings.ts';

const DAY_MS = 86_400_000;

describe('settings that are given', () => {
  test.each([
    [{}, {}],
    [{ segment_max_bytes: 1 }, { segment_max_bytes: 1 }],
    [
      { segment_max_bytes: Number.MAX_SAFE_INTEGER },
      { segment_max_bytes: Number.MAX_SAFE_INTEGER },
    ],
    [{ segment_max_age: '24h' }, { segment_max_age: DAY_MS }],
    [{ segment_max_age: 1 }, { segment_max_age: 1 }],
    [
      { segment_max_age: '1Y', segment_max_bytes: 7 },
      { segment_max_age: 365 * DAY_MS, segment_max_bytes: 7 },
    ],
    [
      { max_age: '10D', max_length: 0 },
      { max_age: 10 * DAY_MS, max_length: 0 },
    ],
    [{ max_length_bytes: 0 }, { max_length_bytes: 0 }],
    [{ allow_drop_past_committed: true }, { allow_drop_past_committed: true }],
    [{ consumer_limit: 1 }, { consumer_limit: 1 }],
  ])('T1 T6 T8 C6: are kept in bytes and milliseconds: %j', (members, settings) => {
    expect(parseSettings(members)).toEqual({ kind: 'ok', settings, reset: [] });
  });

  test('T17: null means the default', () => {
    expect(parseSettings({ segment_max_bytes: null, segment_max_age: 5 })).toEqual({
      kind: 'ok',
      settings: { segment_max_age: 5 },
      reset: ['segment_max_bytes'],
    });
  });

  const bytes = 'segment_max_bytes';
  const age = 'segment_max_age';
  test.each([
    [bytes, 0],
    [bytes, -1],
    [bytes, 1.5],
    [bytes, 2 ** 53],
    [bytes, Number.NaN],
    [bytes, '7'],
    [bytes, true],
    [bytes, [7]],
    [age, 0],
    [age, '0s'],
    [age, -1],
    [age, 1.5],
    [age, '5'],
    [age, '1d'],
    [age, ''],
    [age, true],
    [age, {}],
    ['max_age', 0],
    ['max_age', '0Y'],
    ['max_age', '10'],
    ['max_age', '1D2h'],
    ['max_age', '-1D'],
    ['max_age', '99999999999999999999Y'],
    ['max_age', 2 ** 53],
    ['max_length', -1],
    ['max_length', 1.5],
    ['max_length', '5'],
    ['max_length_bytes', -1],
    ['max_length_bytes', '1MB'],
    ['allow_drop_past_committed', 'true'],
    ['allow_drop_past_committed', 1],
    ['consumer_limit', 0],
    ['consumer_limit', 2.5],
    ['consumer_limit', '3'],
  ])('T1 T6 C6: %s is refused as %j', (field, value) => {
    expect(parseSettings({ [field]: value })).toEqual({
      kind: 'reject',
      code: 'invalid_setting',
      field,
      reason: expect.stringMatching(new RegExp(`^${field}: .`)),
    });
  });

  test.each([
    ['deduplication', 'invalid_setting'],
    ['overflow', 'invalid_setting'],
    ['max_priority', 'invalid_setting'],
    ['durable', 'invalid_setting'],
    ['segment_max_byte', 'invalid_request'],
    ['__proto__', 'invalid_request'],
    ['constructor', 'invalid_request'],
    ['', 'invalid_request'],
  ])('%j is refused with %s', (field, code) => {
    // JSON makes a member of its own of every name.
    const members = JSON.parse(`{${JSON.stringify(field)}:1}`);

    expect(parseSettings(members)).toMatchObject({ kind: 'reject', code, field });
  });

  test('a long name is cut where it is repeated', () => {
    expect(parseSettings({ ['x'.repeat(1_000)]: 1 })).toMatchObject({ field: 'x'.repeat(64) });
  });
});

describe('settings in force', () => {
  test('T6: are 64 MiB and a day unless they are set', () => {
    const none = {
      max_age: null,
      max_length: null,
      max_length_bytes: null,
      allow_drop_past_committed: false,
      consumer_limit: 100_000,
      deduplication: null,
    };
    expect(effectiveSettings({})).toEqual({
      ...none,
      segment_max_bytes: 67_108_864,
      segment_max_age: DAY_MS,
    });
    expect(effectiveSettings({ segment_max_bytes: 7, max_age: 60_000 })).toEqual({
      ...none,
      max_age: 60_000,
      segment_max_bytes: 7,
      segment_max_age: 6_000,
    });
  });

  test.each([
    [undefined, DAY_MS],
    [1, 1_000],
    [10_000, 1_000],
    [10_009, 1_000],
    [10_010, 1_001],
    [3_600_000, 360_000],
    [10 * DAY_MS, DAY_MS],
    [100 * DAY_MS, DAY_MS],
  ])('T6: a segment of a stream with max_age %s ms ends after %d ms', (maxAgeMs, ms) => {
    expect(defaultSegmentMaxAgeMs(maxAgeMs)).toBe(ms);
  });

  test('are shown as they are written', () => {
    expect(formatSetting('segment_max_age', DAY_MS)).toBe('1D');
    expect(formatSetting('segment_max_age', 90_000)).toBe('90s');
    expect(formatSetting('segment_max_bytes', 67_108_864)).toBe(67_108_864);
  });

  test('read back as they are shown', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SETTING_NAMES),
        fc.integer({ min: 1, max: 2 ** 53 - 1 }),
        (name, number) => {
          const values: Partial<Record<SettingName, SettingValue>> = {
            allow_drop_past_committed: number % 2 === 0,
            deduplication: { header: 'h', cache_size: (number % 100_000) + 1, cache_ttl: number },
          };
          const value = values[name] ?? number;
          expect(parseSettings({ [name]: formatSetting(name, value) })).toEqual({
            kind: 'ok',
            settings: { [name]: value },
            reset: [],
          });
        },
      ),
    );
  });
});

const CACHE = { header: 'h', cache_size: 5, cache_ttl: 1_000 };

describe('the setting deduplication', () => {
  const all = { header: 'x-deduplication-header', cache_size: 128, cache_ttl: null };

  test.each([
    [{}, all],
    [{ header: null, cache_size: null, cache_ttl: null }, all],
    [{ header: 'msg-id' }, { ...all, header: 'msg-id' }],
    [{ cache_size: 1 }, { ...all, cache_size: 1 }],
    [{ cache_size: 100_000 }, { ...all, cache_size: 100_000 }],
    [{ cache_ttl: '2m' }, { ...all, cache_ttl: 120_000 }],
    [{ cache_ttl: 1 }, { ...all, cache_ttl: 1 }],
  ])('M1: has defaults for what %j leaves out', (given, deduplication) => {
    expect(parseSettings({ deduplication: given })).toEqual({
      kind: 'ok',
      settings: { deduplication },
      reset: [],
    });
  });

  test.each([
    ['', 1],
    ['', 'on'],
    ['', true],
    ['', [{}]],
    ['.size', { size: 1 }],
    ['.header', { header: '' }],
    ['.header', { header: 'x'.repeat(256) }],
    ['.header', { header: 7 }],
    ['.header', { header: '\ud800' }],
    ['.cache_size', { cache_size: 0 }],
    ['.cache_size', { cache_size: 100_001 }],
    ['.cache_size', { cache_size: 1.5 }],
    ['.cache_size', { cache_size: '128' }],
    ['.cache_ttl', { cache_ttl: 0 }],
    ['.cache_ttl', { cache_ttl: '5' }],
    ['.cache_ttl', { cache_ttl: false }],
  ])('M1: names the member at fault: deduplication%s of %j', (member, given) => {
    const field = `deduplication${member}`;

    expect(parseSettings({ deduplication: given })).toEqual({
      kind: 'reject',
      code: 'invalid_setting',
      field,
      reason: expect.stringMatching(new RegExp(`^${field}: .`)),
    });
  });

  test('T17: a change gives it whole, null takes it back', () => {
    const existing = { deduplication: CACHE };
    const changed = { deduplication: all };

    expect(applyChange(existing, { settings: changed, reset: [] })).toEqual(changed);
    expect(applyChange(existing, { settings: {}, reset: ['deduplication'] })).toEqual({});
  });
});

describe('a declaration of what exists', () => {
  test.each<[StreamSettings, StreamSettings, object | undefined]>([
    [{}, {}, undefined],
    [{ segment_max_age: DAY_MS }, {}, undefined],
    [{}, { segment_max_bytes: 67_108_864 }, undefined],
    [{}, { segment_max_bytes: 7 }, { field: 'segment_max_bytes', expected: 67_108_864, actual: 7 }],
    [{ segment_max_age: 1_000 }, {}, { field: 'segment_max_age', expected: '1s', actual: '1D' }],
    [
      { max_age: 7 * DAY_MS },
      { max_age: 8 * DAY_MS },
      { field: 'max_age', expected: '7D', actual: '8D' },
    ],
    [{}, { max_age: 7 * DAY_MS }, { field: 'max_age', expected: null, actual: '7D' }],
    [{ allow_drop_past_committed: false }, {}, undefined],
    [{ deduplication: CACHE }, { deduplication: { ...CACHE } }, undefined],
    [
      { deduplication: CACHE },
      {},
      { field: 'deduplication', expected: { ...CACHE, cache_ttl: '1s' }, actual: null },
    ],
    [
      { deduplication: CACHE },
      { deduplication: { ...CACHE, cache_size: 7 } },
      { field: 'deduplication.cache_size', expected: 5, actual: 7 },
    ],
    [
      { deduplication: CACHE },
      { deduplication: { ...CACHE, cache_ttl: null } },
      { field: 'deduplication.cache_ttl', expected: '1s', actual: null },
    ],
  ])('T17: %j against %j', (wanted, existing, difference) => {
    expect(firstDifference(wanted, existing)).toEqual(difference);
  });
});

test.each<[StreamSettings, Parameters<typeof applyChange>[1], StreamSettings]>([
  [{ segment_max_bytes: 7 }, { settings: {}, reset: [] }, { segment_max_bytes: 7 }],
  [
    { segment_max_bytes: 7 },
    { settings: { segment_max_bytes: 8 }, reset: [] },
    { segment_max_bytes: 8 },
  ],
  [
    { segment_max_bytes: 7 },
    { settings: { segment_max_age: 5 }, reset: [] },
    { segment_max_bytes: 7, segment_max_age: 5 },
  ],
  [
    { segment_max_bytes: 7, segment_max_age: 5 },
    { settings: {}, reset: ['segment_max_bytes'] },
    { segment_max_age: 5 },
  ],
  [{}, { settings: {}, reset: ['segment_max_age'] }, {}],
])('a change of %j by %j leaves %j', (existing, change, changed) => {
  expect(applyChange(existing, change)).toEqual(changed);
});
