/** Filters of any text against headers of any text: refused by place, or one question that parts alone answer too. */
import assert from 'node:assert/strict';
import type { MessageFilter } from '../../../lib/core/filter/filter.ts';
import { createMatcher } from '../../../lib/core/filter/match-headers.ts';
import { parseFilter } from '../../../lib/core/filter/parse-filter.ts';
import { FILTER_PARTS_MAX, FILTER_POINTS_MAX } from '../../../lib/core/log/limits.ts';
import type { Chance } from '../chance.ts';
import { mutateBytes } from '../mutate-bytes.ts';
import { JSON_PIECES, randomJson } from '../random-json.ts';
import { plainTarget } from '../run-rounds.ts';

const NUMBERS = ['0', '1', '-1', '1.0', '90', '-90.0', '180', '1e1', '1e999', '-0', '"1"', 'null'];
const NAMES = ['x-stream-filter-value', 'x-geo-lat', 'x-geo-lon', 'a', '__proto__', 'toString'];
const VALUES = ['"a"', '"a,b"', '""', '","', '"\\u0061"', '"é"', '[1]', '{}', 'true', '"true"'];
const PIECES = ['foo', ',', ' ', '{', '[', ']', '}', '"', '\\', '"a":', '{}', '[]'];

export const filters = plainTarget('filters', 5_000, (chance) => {
  const parsed = parseFilter({
    kind: chance.pick(['query', 'json']),
    text: randomFilter(chance),
    match: chance.pick(['all', 'any']),
    matchUnfiltered: chance.oneIn(2),
  });
  if (parsed.kind === 'reject') {
    assert.ok(parsed.place.startsWith('filter') && parsed.reason.startsWith(`${parsed.place}: `));
    assert.ok(parsed.reason.length < 1_000 && !/\p{Cc}/u.test(parsed.reason), parsed.reason);
    return;
  }
  checkBounds(parsed.filter);
  for (let round = 0; round < 5; round++) checkMatch(parsed.filter, randomHeaders(chance));
});

function checkBounds({ parts }: MessageFilter): void {
  assert.ok(parts.length <= FILTER_PARTS_MAX);
  const points = parts.flatMap((part) => (part.kind === 'polygon' ? part.points : []));
  assert.ok(points.length <= FILTER_POINTS_MAX);
  for (const { lat, lon } of points) assert.ok(Math.abs(lat) <= 90 && Math.abs(lon) <= 180);
}

function checkMatch(filter: MessageFilter, headers: Uint8Array | undefined): void {
  const { match, parts, matchUnfiltered } = filter;
  const alone = parts.map((part) =>
    createMatcher({ match: 'all', parts: [part], matchUnfiltered: false })(headers),
  );
  const together =
    match === 'all' || parts.length === 0 ? !alone.includes(false) : alone.includes(true);
  const strict = createMatcher({ ...filter, matchUnfiltered: false })(headers);
  assert.equal(strict, together);
  const given = createMatcher(filter)(headers);
  assert.ok(matchUnfiltered ? given || !strict : given === strict);
}

function randomFilter(chance: Chance): string {
  if (chance.oneIn(4)) return chance.text(8, PIECES);
  const text = chance.oneIn(3) ? randomJson(chance) : structured(chance, 3);
  if (!chance.oneIn(3)) return text;
  return Buffer.from(mutateBytes(chance, Buffer.from(text), JSON_PIECES)).toString('utf8');
}

function structured(chance: Chance, depth: number): string {
  const number = () => chance.pick(NUMBERS);
  const kind = chance.below(depth === 0 ? 5 : 6);
  switch (kind) {
    case 0:
      return chance.pick(VALUES);
    case 1:
      return `{"geo-within-radius":{"lat":${number()},"lon":${number()},"radius_km":${number()}}}`;
    case 2:
      return `{"geo-bbox":{"min_lat":${number()},"max_lat":${number()},"min_lon":${number()},"max_lon":${number()}}}`;
    case 3:
      return `{"geo-polygon":{"points":[${chance.some(6, () => `[${number()},${number()}]`).join(',')}]}}`;
    case 4:
      return `{${chance.some(3, () => `"${chance.pick(NAMES)}":${chance.pick([...VALUES, ...NUMBERS])}`).join(',')}}`;
    default:
      return `[${chance.some(4, () => structured(chance, depth - 1)).join(',')}]`;
  }
}

function randomHeaders(chance: Chance): Uint8Array | undefined {
  if (chance.oneIn(5)) return undefined;
  const member = () => `"${chance.pick(NAMES)}":${chance.pick([...VALUES, ...NUMBERS])}`;
  const text = chance.oneIn(4) ? randomJson(chance) : `{${chance.some(5, member).join(',')}}`;
  const bytes = Buffer.from(text);
  return new Uint8Array(chance.oneIn(8) ? mutateBytes(chance, bytes, JSON_PIECES) : bytes);
}
