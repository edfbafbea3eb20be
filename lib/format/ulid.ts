/**
 * The ids of objects: 48 bits of milliseconds since 1970, big endian, then 80 random bits, so that ids
 * sort by the time they were minted. In names as 26 characters of Crockford's base 32.
 */
import { assert } from '../core/assert.ts';

export type Ulid = Uint8Array & { readonly brand: 'Ulid' };

export const ULID_BYTES = 16;
const TIME_BYTES = 6;
const RANDOM_BYTES = ULID_BYTES - TIME_BYTES;
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CHARACTERS = 26;

/** `randomHex` gives the 80 bits by its first 20 hex digits. */
export function encodeUlid(timeMs: number, randomHex: string): Ulid {
  assert(
    Number.isSafeInteger(timeMs) && timeMs >= 0 && timeMs < 2 ** 48,
    () => `${timeMs} ms do not fit 48 bits`,
  );
  const bytes = new Uint8Array(ULID_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, Math.floor(timeMs / 2 ** 32));
  view.setUint32(2, timeMs % 2 ** 32);
  for (let index = 0; index < RANDOM_BYTES; index++) {
    bytes[TIME_BYTES + index] = Number.parseInt(randomHex.slice(2 * index, 2 * index + 2), 16);
  }
  return bytes as Ulid;
}

export function ulidOf(bytes: Uint8Array): Ulid {
  assert(bytes.length === ULID_BYTES, () => `an id of ${bytes.length} bytes, not ${ULID_BYTES}`);
  return bytes as Ulid;
}

export function ulidTimeMs(ulid: Ulid): number {
  const view = new DataView(ulid.buffer, ulid.byteOffset);
  return view.getUint16(0) * 2 ** 32 + view.getUint32(2);
}

/** Byte by byte, unsigned: as the store compares them. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

export function isSameUlid(a: Uint8Array, b: Uint8Array): boolean {
  return compareBytes(a, b) === 0;
}

/** 130 bits of which the first two are 0, so that texts sort as the ids do. */
export function formatUlid(ulid: Ulid): string {
  let rest = ulid.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
  let text = '';
  for (let index = 0; index < CHARACTERS; index++) {
    text = `${DIGITS[Number(rest & 31n)]}${text}`;
    rest >>= 5n;
  }
  return text;
}

/** Undefined for what {@link formatUlid} never gives. */
export function parseUlid(text: string): Ulid | undefined {
  if (!/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text)) return undefined;
  let number = 0n;
  for (const digit of text) number = (number << 5n) | BigInt(DIGITS.indexOf(digit));
  const bytes = new Uint8Array(ULID_BYTES);
  for (let index = ULID_BYTES - 1; index >= 0; index--) {
    bytes[index] = Number(number & 255n);
    number >>= 8n;
  }
  return bytes as Ulid;
}
