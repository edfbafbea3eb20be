/**
 * What a reader wrote as its filter, as one flat list of parts (SPEC F1-F5, F8). A filter is a text (a list
 * of filter values at commas), an object, or an array of filters; nested as it may be, all parts count alike.
 * Bounded, since each part is looked for in every message that a read passes over.
 */
import { FILTER_DEPTH_MAX, FILTER_PARTS_MAX, FILTER_POINTS_MAX } from '../log/limits.ts';
import type { FilterPart, MessageFilter } from './filter.ts';
import { FilterFault, memberPlace } from './filter-fault.ts';
import { GEO_PARSERS } from './parse-geo.ts';
import { isWrittenObject, nestingDepth, parseWrittenJson, WrittenNumber } from './written-json.ts';

export interface WrittenFilter {
  /** Of a query: JSON when it begins with a bracket or a brace, else a list of values. Or JSON in any case. */
  readonly kind: 'query' | 'json';
  readonly text: string;
  readonly match: MessageFilter['match'];
  readonly matchUnfiltered: boolean;
}

export type ParsedFilter =
  | { readonly kind: 'ok'; readonly filter: MessageFilter }
  /** `reason` names the place. */
  | { readonly kind: 'reject'; readonly place: string; readonly reason: string };

const VALUES = 'x-stream-filter';
const PLACE = 'filter';

/** Values are what stands between commas, so no message has one that holds a comma. */
const MATCHES_NOTHING: FilterPart = { kind: 'value', value: ',' };

export function parseFilter({ kind, text, match, matchUnfiltered }: WrittenFilter): ParsedFilter {
  const parts = new Parts();
  try {
    const isJson = kind === 'json' || /^\s*[[{]/.test(text);
    addFilter(parts, isJson ? parseJson(text) : text, PLACE);
  } catch (error) {
    if (!(error instanceof FilterFault)) throw error;
    return { kind: 'reject', place: error.place, reason: error.message };
  }
  return { kind: 'ok', filter: { match, parts: parts.all, matchUnfiltered } };
}

/** `all` or `any`, in any letter case (SPEC F4); undefined when it is neither. */
export function parseMatch(text: string): MessageFilter['match'] | undefined {
  const lower = text.toLowerCase();
  return lower === 'all' || lower === 'any' ? lower : undefined;
}

class Parts {
  readonly all: FilterPart[] = [];
  #points = 0;

  add(part: FilterPart, place: string): void {
    if (part.kind === 'polygon') this.#points += part.points.length;
    if (this.#points > FILTER_POINTS_MAX) {
      throw new FilterFault(place, `there are at most ${FILTER_POINTS_MAX} points in a filter`);
    }
    if (this.all.length === FILTER_PARTS_MAX) {
      throw new FilterFault(place, `a filter has at most ${FILTER_PARTS_MAX} parts`);
    }
    this.all.push(part);
  }
}

function parseJson(text: string): unknown {
  if (nestingDepth(text) > FILTER_DEPTH_MAX) {
    throw new FilterFault(PLACE, `is nested more than ${FILTER_DEPTH_MAX} deep`);
  }
  const parsed = parseWrittenJson(text);
  if (parsed !== undefined) return parsed.value;
  throw new FilterFault(PLACE, 'begins like JSON, and is none');
}

function addFilter(parts: Parts, value: unknown, place: string): void {
  if (typeof value === 'string') {
    addValues(parts, value, place);
  } else if (Array.isArray(value)) {
    value.forEach((element: unknown, at) => {
      addFilter(parts, element, `${place}[${at}]`);
    });
  } else if (isWrittenObject(value)) {
    for (const [name, member] of Object.entries(value)) addMember(parts, { name, member, place });
  } else {
    throw new FilterFault(place, 'must be a text, an object, or an array of those');
  }
}

function addValues(parts: Parts, list: string, place: string): void {
  for (const part of list.split(',')) {
    const value = part.trim();
    if (value === '') {
      throw new FilterFault(place, 'has an empty part: write values with a comma between them');
    }
    parts.add({ kind: 'value', value }, place);
  }
}

interface FilterMember {
  readonly name: string;
  readonly member: unknown;
  /** Of the object. */
  readonly place: string;
}

function addMember(parts: Parts, { name, member, place }: FilterMember): void {
  const inside = memberPlace(place, name);
  const parseGeo = GEO_PARSERS.get(name);
  if (parseGeo !== undefined) {
    parts.add(parseGeo(member, inside), inside);
  } else if (name !== VALUES) {
    parts.add(headerPart(name, member), inside);
  } else if (typeof member === 'string') {
    addValues(parts, member, inside);
  } else {
    throw new FilterFault(inside, 'must be a text: values with a comma between them');
  }
}

function headerPart(name: string, value: unknown): FilterPart {
  if (value instanceof WrittenNumber) return { kind: 'header', name, text: value.text };
  if (typeof value === 'object' && value !== null) return MATCHES_NOTHING;
  return { kind: 'header', name, text: String(value) };
}
