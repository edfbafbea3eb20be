/**
 * A filter made into one question about the headers of a message (SPEC F1-F6): prepared once for a read, asked
 * for each message it passes over. Headers are parsed only when a part cannot be ruled out by their text.
 */
import { assert } from '../assert.ts';
import type { FilterPart, MessageFilter } from './filter.ts';
import { FilterHeaders } from './filter-headers.ts';
import { type GeoTest, withinBox, withinPolygon, withinRadius } from './geo-area.ts';

/** Undefined for a message that has none. */
export type HeadersMatcher = (headers: Uint8Array | undefined) => boolean;

type HeadersTest = (headers: FilterHeaders) => boolean;

const VALUE_HEADER = 'x-stream-filter-value';
const LAT_HEADER = 'x-geo-lat';
/** Above it a set is quicker than a search. A message may have thousands of values. */
const SEARCHED_MAX = 4;

export function createMatcher(filter: MessageFilter): HeadersMatcher {
  if (filter.parts.length === 0) return () => true;

  const tests = testsOf(filter);
  const matches: HeadersTest =
    filter.match === 'all'
      ? (headers) => tests.every((test) => test(headers))
      : (headers) => tests.some((test) => test(headers));
  const { matchUnfiltered } = filter;
  return (bytes) => {
    if (bytes === undefined) return matchUnfiltered;
    const headers = new FilterHeaders(bytes);
    return (matchUnfiltered && !hasValues(headers)) || matches(headers);
  };
}

function hasValues(headers: FilterHeaders): boolean {
  return headers.mayHold(VALUE_HEADER) && headers.values() !== undefined;
}

/** All values are one test, so that those of a message are taken apart once. */
function testsOf({ match, parts }: MessageFilter): readonly HeadersTest[] {
  const values = parts.flatMap((part) => (part.kind === 'value' ? [part.value] : []));
  const others = parts.filter((part) => part.kind !== 'value').map(testOf);
  return values.length === 0 ? others : [valuesTest(values, match), ...others];
}

function valuesTest(wanted: readonly string[], match: MessageFilter['match']): HeadersTest {
  const isAll = match === 'all';
  const mayMatch: HeadersTest = isAll
    ? (headers) => wanted.every((value) => headers.mayHold(value))
    : (headers) => wanted.some((value) => headers.mayHold(value));
  return (headers) => {
    if (!mayMatch(headers)) return false;
    const values = headers.values();
    if (values === undefined) return false;
    return isAll ? hasAll(values, wanted) : hasAny(values, wanted);
  };
}

function hasAll(values: readonly string[], wanted: readonly string[]): boolean {
  if (wanted.length <= SEARCHED_MAX) return wanted.every((value) => values.includes(value));
  const missing = new Set(wanted);
  return values.some((value) => missing.delete(value) && missing.size === 0);
}

function hasAny(values: readonly string[], wanted: readonly string[]): boolean {
  if (wanted.length <= SEARCHED_MAX) return wanted.some((value) => values.includes(value));
  const looked = new Set(wanted);
  return values.some((value) => looked.has(value));
}

function testOf(part: FilterPart): HeadersTest {
  switch (part.kind) {
    case 'header':
      return (headers) => headers.mayHold(part.text) && headers.equals(part.name, part.text);
    case 'radius':
      return geoTest(withinRadius(part.center, part.radiusKm));
    case 'box':
      return geoTest(withinBox(part.box));
    case 'polygon':
      return geoTest(withinPolygon(part.points));
    case 'value':
      assert(false, () => 'values are tested together');
  }
}

function geoTest(isWithin: GeoTest): HeadersTest {
  return (headers) => {
    const point = headers.mayHold(LAT_HEADER) ? headers.point() : undefined;
    return point !== undefined && isWithin(point);
  };
}
