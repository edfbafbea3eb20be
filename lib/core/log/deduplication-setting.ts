/** The setting `deduplication`: an object, given whole, whose omitted members mean their defaults (SPEC M1). */
import { CACHE_SIZE_MAX, type Deduplication, SMALL_CACHE_MAX } from './deduplication.ts';
import { formatDuration, parseDuration } from './duration.ts';

export const DEDUPLICATION_HEADER = 'x-deduplication-header';
/** As many characters as a name may have bytes: it is stored with every revision of the settings. */
export const HEADER_NAME_MAX = 255;

const MEMBERS = ['header', 'cache_size', 'cache_ttl'] as const;

export type ParsedDeduplication =
  | { readonly kind: 'ok'; readonly value: Deduplication }
  /** `member` is the one at fault, if it is one. */
  | { readonly kind: 'reject'; readonly member?: string; readonly reason: string };

export function parseDeduplication(given: unknown): ParsedDeduplication {
  if (!isObject(given)) {
    const reason = `give an object with ${MEMBERS.join(', ')}, each of which may be left out`;
    return { kind: 'reject', reason };
  }
  const unknown = Object.keys(given).find((name) => !isMember(name));
  if (unknown !== undefined) {
    const reason = `unknown member ${JSON.stringify(unknown.slice(0, 64))}: there are ${MEMBERS.join(', ')}`;
    return { kind: 'reject', member: unknown.slice(0, 64), reason };
  }
  const header = given['header'] ?? DEDUPLICATION_HEADER;
  if (!isHeaderName(header)) {
    const reason = `give the name of a header, 1 to ${HEADER_NAME_MAX} characters`;
    return { kind: 'reject', member: 'header', reason };
  }
  const size = given['cache_size'] ?? SMALL_CACHE_MAX;
  if (!isCacheSize(size)) {
    const reason = `give an integer number of values from 1 to ${CACHE_SIZE_MAX}`;
    return { kind: 'reject', member: 'cache_size', reason };
  }
  const ttl = parseTtl(given['cache_ttl'] ?? null);
  if (ttl.kind === 'reject') return { kind: 'reject', member: 'cache_ttl', reason: ttl.reason };
  return { kind: 'ok', value: { header, cache_size: size, cache_ttl: ttl.ms } };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isMember(name: string): name is (typeof MEMBERS)[number] {
  return MEMBERS.some((member) => member === name);
}

function isHeaderName(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length >= 1 &&
    value.length <= HEADER_NAME_MAX &&
    value.isWellFormed()
  );
}

function isCacheSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= CACHE_SIZE_MAX;
}

function parseTtl(
  value: unknown,
):
  | { readonly kind: 'ok'; readonly ms: number | null }
  | { readonly kind: 'reject'; readonly reason: string } {
  if (value === null) return { kind: 'ok', ms: null };
  if (typeof value !== 'string' && typeof value !== 'number') {
    const reason = 'give a duration such as "1D", or an integer number of ms';
    return { kind: 'reject', reason };
  }
  const parsed = parseDuration(value);
  if (parsed.kind === 'ok' && parsed.ms < 1) {
    return { kind: 'reject', reason: 'give a duration above 0' };
  }
  return parsed;
}

export interface ShownDeduplication {
  readonly header: string;
  readonly cache_size: number;
  readonly cache_ttl: string | null;
}

export function formatDeduplication({ cache_ttl, ...rest }: Deduplication): ShownDeduplication {
  return { ...rest, cache_ttl: cache_ttl === null ? null : formatDuration(cache_ttl) };
}

export interface MemberDifference {
  readonly member: keyof ShownDeduplication;
  readonly expected: string | number | null;
  readonly actual: string | number | null;
}

export function differenceOf(
  wanted: Deduplication,
  existing: Deduplication,
): MemberDifference | undefined {
  const member = MEMBERS.find((name) => wanted[name] !== existing[name]);
  if (member === undefined) return undefined;
  const [expected, actual] = [formatDeduplication(wanted), formatDeduplication(existing)];
  return { member, expected: expected[member], actual: actual[member] };
}
