/**
 * How positions are written (`from=…`) and explained (`resolved.why`). The whole text must match:
 * what is not understood is rejected, never taken for a near miss (SPEC O12). A JSON number arrives
 * here as its decimal text.
 */
import { quote } from '../quote.ts';
import { formatDuration, parseDuration } from './duration.ts';
import { parseInstant } from './instant.ts';
import { POSITION_CHARS_MAX } from './limits.ts';
import type { Position } from './position.ts';

export type ParsedPosition =
  | { readonly kind: 'ok'; readonly position: Position }
  | { readonly kind: 'reject'; readonly reason: string };

/** Down to the smallest signed 64-bit integer, which clients of brokers send for "everything". */
const COUNT_BACK_MAX = 2n ** 63n;

const ACCEPTED =
  'use first, last, next, stored (with a consumer), an offset such as 42, ' +
  'a negative count from the end such as -100, ts:<milliseconds or RFC 3339>, ' +
  'or ago:<duration> such as ago:1h';

export function parsePosition(text: string): ParsedPosition {
  if (text.length > POSITION_CHARS_MAX) return notPosition(text);
  if (/^-?[0-9]+$/.test(text)) return fromInteger(text);
  if (text.startsWith('ts:')) return fromInstant(text.slice('ts:'.length));
  if (text.startsWith('ago:')) return fromDuration(text.slice('ago:'.length));
  return fromWord(text);
}

/** Short English for the answer; the service knows the consumer's name and may say more. */
export function describePosition(position: Position): string {
  switch (position.kind) {
    case 'first':
      return 'first retained message';
    case 'last':
      return 'start of the newest chunk';
    case 'next':
      return 'only messages published after this request';
    case 'offset':
      return 'the offset asked for';
    case 'from-end':
      return `${position.count} before the end`;
    case 'time':
      return `first message at or after ${position.ms}`;
    case 'ago':
      return `first message at or after ${formatDuration(position.ms)} ago`;
    case 'stored':
      return 'the stored offset of the consumer';
  }
}

/** BigInt first: as a number, 2^53 + 1 would already have been rounded to another offset. */
function fromInteger(text: string): ParsedPosition {
  const value = BigInt(text);
  if (value > Number.MAX_SAFE_INTEGER)
    return reject(`${text} is beyond 2^53 - 1, the largest offset`);
  if (value >= 0n) return accept({ kind: 'offset', offset: Number(value) });
  if (-value > COUNT_BACK_MAX) return reject(`${text} is below -2^63, the farthest from the end`);
  return accept({ kind: 'from-end', count: -value });
}

function fromInstant(text: string): ParsedPosition {
  const instant = parseInstant(text);
  return instant.kind === 'ok' ? accept({ kind: 'time', ms: instant.ms }) : instant;
}

function fromDuration(text: string): ParsedPosition {
  const duration = parseDuration(text);
  return duration.kind === 'ok' ? accept({ kind: 'ago', ms: duration.ms }) : duration;
}

function fromWord(text: string): ParsedPosition {
  switch (text) {
    case 'first':
    case 'last':
    case 'next':
    case 'stored':
      return accept({ kind: text });
    default: {
      const bare = fromDuration(text);
      return bare.kind === 'ok' ? bare : notPosition(text);
    }
  }
}

function accept(position: Position): ParsedPosition {
  return { kind: 'ok', position };
}

function notPosition(text: string): ParsedPosition {
  return reject(`${quote(text)} is not a position: ${ACCEPTED}`);
}

function reject(reason: string): ParsedPosition {
  return { kind: 'reject', reason };
}
