/**
 * The filter of a read, out of the parameters of a query or the members of a body (SPEC F1, F4, F8). In a body
 * it is any JSON, taken from the text, since a parser would have rounded its numbers.
 */
import type { MessageFilter } from '../core/filter/filter.ts';
import { parseFilter, parseMatch, type WrittenFilter } from '../core/filter/parse-filter.ts';
import { invalid, LogError } from '../services/log-error.ts';
import type { ReadParameters } from './schemas/read-parameters.ts';

export type FilterSource = Pick<WrittenFilter, 'kind' | 'text'>;

/** Undefined when everything is wanted. What is wrong is refused, also where it would make no difference. */
export function readFilter(
  { match, match_unfiltered }: ReadParameters,
  source: FilterSource | undefined,
): MessageFilter | undefined {
  const parsedMatch = parseMatch(match ?? 'all');
  if (parsedMatch === undefined) throw invalid('match', 'match must be all or any');
  if (source === undefined) return undefined;

  const matchUnfiltered = match_unfiltered ?? false;
  const parsed = parseFilter({ ...source, match: parsedMatch, matchUnfiltered });
  if (parsed.kind === 'ok') return parsed.filter.parts.length === 0 ? undefined : parsed.filter;
  throw new LogError(parsed.reason, { code: 'invalid_filter', details: { field: parsed.place } });
}
