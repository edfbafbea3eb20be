/**
 * The id of a held message: when it is due, then when it arrived, so that ids sort in the order of release
 * (SPEC L4). 44 hex digits: 48 bits of milliseconds since 1970, and the 128 bits of a ULID.
 */
import { assert } from '../assert.ts';

export type HeldId = string & { readonly brand: 'HeldId' };

const DUE_DIGITS = 12;
const ID_FORM = /^[0-9a-f]{44}$/;
/** What 48 bits hold: the year 10889. */
const DUE_MS_MAX = 2 ** 48 - 1;

/** `ulidHex` are the 32 digits of an id that no other message has. */
export function heldId(dueMs: number, ulidHex: string): HeldId {
  assert(
    Number.isSafeInteger(dueMs) && dueMs >= 0 && dueMs <= DUE_MS_MAX,
    () => `${dueMs} ms do not fit 48 bits`,
  );
  return storedHeldId(`${dueMs.toString(16).padStart(DUE_DIGITS, '0')}${ulidHex}`);
}

/** For ids that this program made; throws AssertionFailed on any other text. */
export function storedHeldId(text: string): HeldId {
  assert(ID_FORM.test(text), () => `an id of a held message is 44 hex digits, not ${text}`);
  return text as HeldId;
}

/** Undefined for what is no id. */
export function parseHeldId(text: string): HeldId | undefined {
  return ID_FORM.test(text) ? (text as HeldId) : undefined;
}

export function dueMsOf(id: HeldId): number {
  return Number.parseInt(id.slice(0, DUE_DIGITS), 16);
}

/** Above the id of every message that is due at `nowMs` or before, below all others. */
export function heldIdAfter(nowMs: number): string {
  return Math.min(nowMs + 1, DUE_MS_MAX)
    .toString(16)
    .padStart(DUE_DIGITS, '0');
}
