/**
 * How long a message is held, as publishers ask for it (SPEC L2, L3): what cannot be read as a time is refused,
 * never taken for none, so that nothing is delivered before the time that was meant.
 */
import { WrittenNumber } from '../filter/written-json.ts';
import { parseInstant } from '../log/instant.ts';

/** 10 Y: beyond it a mistake is likelier than a wish. */
export const DELAY_MS_MAX = 315_360_000_000;

export const DELAY_HEADER = 'x-delay';

/** What a publisher asks for: so long after the message came in, or at a time. */
export type AskedDelay =
  | { readonly kind: 'after'; readonly ms: number }
  | { readonly kind: 'at'; readonly ms: number };

export type ParsedDelay =
  | { readonly kind: 'ok'; readonly delay: AskedDelay }
  | { readonly kind: 'reject'; readonly reason: string };

const DIGITS = /^[0-9]{1,16}$/;
const INTEGER = /^-?[0-9]+$/;
const FORM = `give an integer number of ms, at most ${DELAY_MS_MAX} (10 Y)`;

/** A header, its numbers as they were written. Digits as text are taken: some clients know no numbers there. */
export function parseDelayHeader(value: unknown): ParsedDelay {
  if (typeof value === 'string' && DIGITS.test(value)) return after(Number(value));
  if (value instanceof WrittenNumber && INTEGER.test(value.text)) return after(Number(value.text));
  return reject(FORM);
}

/** The member `delay_ms`; its number was written as an integer. */
export function parseDelayMs(value: unknown): ParsedDelay {
  return typeof value === 'number' && Number.isInteger(value) ? after(value) : reject(FORM);
}

/** The member `deliver_at`: milliseconds since 1970, or RFC 3339. */
export function parseDeliverAt(value: unknown): ParsedDelay {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return reject('give ms since 1970, or RFC 3339');
  const parsed = parseInstant(text);
  return parsed.kind === 'reject' ? parsed : { kind: 'ok', delay: { kind: 'at', ms: parsed.ms } };
}

/** When it is due; undefined when it goes at once. Rejected when that is too far away. */
export function planDue(
  delay: AskedDelay,
  nowMs: number,
):
  | { readonly kind: 'ok'; readonly dueMs?: number }
  | { readonly kind: 'reject'; readonly reason: string } {
  const dueMs = delay.kind === 'at' ? delay.ms : nowMs + delay.ms;
  if (dueMs - nowMs > DELAY_MS_MAX) return reject(FORM);
  return dueMs > nowMs ? { kind: 'ok', dueMs } : { kind: 'ok' };
}

function after(ms: number): ParsedDelay {
  return ms <= DELAY_MS_MAX ? { kind: 'ok', delay: { kind: 'after', ms } } : reject(FORM);
}

function reject(reason: string) {
  return { kind: 'reject', reason } as const;
}
