import { describe, expect, test } from 'vitest';
import type { FilterPart } from '../../../lib/core/filter/filter.ts';
import { parseFilter, parseMatch } from '../../../lib/core/filter/parse-filter.ts';

const parse = (text: string, kind: 'query' | 'json' = 'query') =>
  parseFilter({ kind, text, match: 'all', matchUnfiltered: false });
const partsOf = (text: string, kind?: 'query' | 'json') => {
  const parsed = parse(text, kind);
  return parsed.kind === 'ok' ? parsed.filter.parts : parsed.reason;
};

const value = (text: string): FilterPart => ({ kind: 'value', value: text });
const header = (name: string, text: string): FilterPart => ({ kind: 'header', name, text });
const radius = { lat: 40.7, lon: -74, radius_km: 5 };
const box = { min_lat: 40, max_lat: 41, min_lon: -75, max_lon: -73 };
const points = [
  [40, -75],
  [41, -75],
  [41, -73],
];

describe('a text of a query', () => {
  test.each<[string, readonly FilterPart[]]>([
    ['foo', [value('foo')]],
    ['foo,bar', [value('foo'), value('bar')]],
    [' foo , bar ', [value('foo'), value('bar')]],
    ['a b', [value('a b')]],
    ['5', [value('5')]],
    ['true', [value('true')]],
    ['"foo"', [value('"foo"')]],
    ['a{', [value('a{')]],
    ['{"a":"b"}', [header('a', 'b')]],
    ['  {"a":"b"}', [header('a', 'b')]],
    ['["foo"]', [value('foo')]],
  ])('F1: %j', (text, parts) => {
    expect(partsOf(text)).toEqual(parts);
  });
});

describe('JSON', () => {
  test.each<[string, readonly FilterPart[]]>([
    ['"foo,bar"', [value('foo'), value('bar')]],
    ['{"x-stream-filter":" foo , bar "}', [value('foo'), value('bar')]],
    [
      '["foo,bar",{"x":"y","z":1}]',
      [value('foo'), value('bar'), header('x', 'y'), header('z', '1')],
    ],
    ['[["foo",["bar"]],{"x":"y"}]', [value('foo'), value('bar'), header('x', 'y')]],
    ['{}', []],
    ['[]', []],
    ['[[]]', []],
    ['[{},[[]]]', []],
    ['{"x-stream-filter-value":"foo,bar"}', [header('x-stream-filter-value', 'foo,bar')]],
    ['{"Geo-Bbox":"x"}', [header('Geo-Bbox', 'x')]],
    ['{"__proto__":"x"}', [header('__proto__', 'x')]],
    ['{"":""}', [header('', '')]],
  ])('F1 F3: %s', (text, parts) => {
    expect(partsOf(text, 'json')).toEqual(parts);
  });

  test.each([
    ['1', '1'],
    ['1.0', '1.0'],
    ['1e2', '1e2'],
    ['-0', '-0'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['true', 'true'],
    ['null', 'null'],
    ['"a"', 'a'],
  ])('F3: a header that is %s is looked for as %j', (written, text) => {
    expect(partsOf(`{"x":${written}}`, 'json')).toEqual([header('x', text)]);
  });

  test('G2 G3 G4: places', () => {
    const filter = { 'geo-within-radius': radius, 'geo-bbox': box, 'geo-polygon': { points } };

    expect(partsOf(JSON.stringify(filter))).toEqual([
      { kind: 'radius', center: { lat: 40.7, lon: -74 }, radiusKm: 5 },
      { kind: 'box', box: { minLat: 40, maxLat: 41, minLon: -75, maxLon: -73 } },
      { kind: 'polygon', points: points.map(([lat, lon]) => ({ lat, lon })) },
    ]);
  });
});

test('F4 F5: how the parts are taken together is passed on', () => {
  const written = { kind: 'query', text: 'a', match: 'any', matchUnfiltered: true } as const;

  expect(parseFilter(written)).toEqual({
    kind: 'ok',
    filter: { match: 'any', parts: [value('a')], matchUnfiltered: true },
  });
});

test.each([
  ['all', 'all'],
  ['ANY', 'any'],
  ['All', 'all'],
  ['some', undefined],
  ['', undefined],
  [' any', undefined],
])('F4: match %j is %s', (text, match) => {
  expect(parseMatch(text)).toBe(match);
});

const geo = (name: string, value: unknown) => JSON.stringify([{ [name]: value }]);

describe('refused, and the part named:', () => {
  test.each([
    ['', 'filter'],
    ['foo,', 'filter'],
    [',foo', 'filter'],
    ['foo,,bar', 'filter'],
    ['foo, ,bar', 'filter'],
    [',', 'filter'],
    ['["foo",""]', 'filter[1]'],
    ['[["foo"],[1]]', 'filter[1][0]'],
    ['{"x-stream-filter":"foo,"}', 'filter.x-stream-filter'],
    ['{"x-stream-filter":5}', 'filter.x-stream-filter'],
    ['{"x-stream-filter":["a"]}', 'filter.x-stream-filter'],
    ['{"a":', 'filter'],
    ['[1', 'filter'],
    ['{a:1}', 'filter'],
  ])('F8: %s', (text, place) => {
    expect(parse(text)).toMatchObject({
      kind: 'reject',
      place,
      reason: expect.stringContaining(place),
    });
  });

  test.each(['5', 'true', 'null', '[null]', '1.0'])('F8: JSON %s', (text) => {
    expect(parse(text, 'json')).toMatchObject({ kind: 'reject' });
  });

  test.each([
    ['geo-within-radius', { ...radius, radius_km: 0 }, '.radius_km'],
    ['geo-within-radius', { ...radius, radius_km: -5 }, '.radius_km'],
    ['geo-within-radius', { ...radius, radius_km: '5' }, '.radius_km'],
    ['geo-within-radius', { lat: 1, lon: 2 }, '.radius_km'],
    ['geo-within-radius', { ...radius, lat: 90.0001 }, '.lat'],
    ['geo-within-radius', { ...radius, lat: '40' }, '.lat'],
    ['geo-within-radius', { ...radius, lon: -180.0001 }, '.lon'],
    ['geo-within-radius', { ...radius, unit: 'km' }, '.unit'],
    ['geo-within-radius', '40,41', ''],
    ['geo-within-radius', null, ''],
    ['geo-bbox', '40,41', ''],
    ['geo-bbox', [40, 41], ''],
    ['geo-bbox', { ...box, min_lat: 50 }, '.min_lat'],
    ['geo-bbox', { ...box, min_lon: -73, max_lon: -75 }, '.min_lon'],
    ['geo-bbox', { ...box, min_lat: -100 }, '.min_lat'],
    ['geo-bbox', { ...box, min_lon: -200 }, '.min_lon'],
    ['geo-bbox', { min_lat: 1, max_lat: 2, min_lon: 3 }, '.max_lon'],
    ['geo-bbox', { ...box, max_lat: '41' }, '.max_lat'],
    ['geo-polygon', [], ''],
    ['geo-polygon', {}, '.points'],
    ['geo-polygon', { points: points.slice(1) }, '.points'],
    ['geo-polygon', { points: [...points, [1, 2, 3]] }, '.points[3]'],
    ['geo-polygon', { points: [...points, ['1', 2]] }, '.points[3][0]'],
    ['geo-polygon', { points: [...points, [91, 2]] }, '.points[3][0]'],
    ['geo-polygon', { points: [...points, [1, 181]] }, '.points[3][1]'],
    ['geo-polygon', { points: [...points, null] }, '.points[3]'],
  ])('G1 F8: %s of %j', (name, argument, below) => {
    const place = `filter[0].${name}${below}`;

    expect(parse(geo(name, argument))).toMatchObject({
      kind: 'reject',
      place,
      reason: expect.stringContaining(`${place}: `),
    });
  });

  test('G2: a radius beyond all numbers', () => {
    expect(partsOf('{"geo-within-radius":{"lat":1,"lon":1,"radius_km":1e999}}')).toContain(
      'radius_km',
    );
  });

  test('F8: a name that breaks the line, without breaking the answer', () => {
    const name = 'c\nd'.repeat(99);

    expect(partsOf(JSON.stringify({ 'geo-bbox': { ...box, [name]: 1 } }))).toMatch(
      /^filter\.geo-bbox\["(?:c\\nd){21}c…"\]: is not known/,
    );
    expect(partsOf(JSON.stringify({ [name]: 1, a: {}, 'geo-bbox': 1 }))).toContain(
      'filter.geo-bbox: ',
    );
  });
});

describe('bounded:', () => {
  const list = (count: number) => Array.from({ length: count }, (_, n) => `v${n}`).join(',');
  const polygon = (count: number) => ({
    'geo-polygon': { points: Array.from({ length: count }, (_, n) => [n / 100, (n % 7) - 3]) },
  });

  test('F8: a filter has at most 100 parts', () => {
    expect(partsOf(list(100))).toHaveLength(100);
    expect(partsOf(list(101))).toContain('at most 100 parts');
  });

  test('F8: its polygons have at most 1000 points together', () => {
    expect(partsOf(JSON.stringify([polygon(400), polygon(600)]))).toHaveLength(2);
    expect(partsOf(JSON.stringify([polygon(400), polygon(601)]))).toContain('at most 1000 points');
  });

  test('F8: it is nested at most 16 deep', () => {
    expect(partsOf(`${'['.repeat(16)}"a"${']'.repeat(16)}`)).toEqual([value('a')]);
    expect(partsOf(`${'['.repeat(17)}"a"${']'.repeat(17)}`)).toContain('nested');
    expect(partsOf('['.repeat(1_000_000))).toContain('nested');
    expect(partsOf(`["${'['.repeat(100)}\\"${'{'.repeat(100)}"]`)).toHaveLength(1);
  });

  test('F8: one that takes long to refuse does not exist', () => {
    const hostile = `[${'"\\"'.repeat(30_000)}`;

    expect(partsOf(hostile)).toContain('is none');
  });
});
