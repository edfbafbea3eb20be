/** Types of values, and when two are equal or one is less. Values of different types are neither. */
import type { Attribute, Item } from '../../../lib/aws/table.ts';

export type AttributeType = 'S' | 'N' | 'B' | 'BS' | 'L' | 'M';

export function typeOf(value: Attribute): AttributeType {
  if ('S' in value) return 'S';
  if ('N' in value) return 'N';
  if ('B' in value) return 'B';
  if ('BS' in value) return 'BS';
  return 'L' in value ? 'L' : 'M';
}

/** Only text, numbers and bytes have an order. */
export function isOrdered(value: Attribute): boolean {
  return 'S' in value || 'N' in value || 'B' in value;
}

export function isEqual(a: Attribute, b: Attribute): boolean {
  if ('BS' in a) return 'BS' in b && sameMembers(a.BS, b.BS);
  if ('L' in a) return 'L' in b && sameElements(a.L, b.L);
  if ('M' in a) return 'M' in b && sameEntries(a.M, b.M);
  return compareValues(a, b) === 0;
}

/** Below, at or above 0 as a is less, equal or greater; undefined when they have no order. */
export function compareValues(a: Attribute, b: Attribute): number | undefined {
  if ('S' in a) return 'S' in b ? compareText(a.S, b.S) : undefined;
  if ('N' in a) return 'N' in b ? compareNumbers(BigInt(a.N), BigInt(b.N)) : undefined;
  if ('B' in a) return 'B' in b ? Buffer.compare(a.B, b.B) : undefined;
  return undefined;
}

/** By UTF-8 bytes, which differs from the order of JavaScript beyond the basic plane. */
export function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

export function hasMember(members: readonly Uint8Array[], wanted: Uint8Array): boolean {
  return members.some((member) => Buffer.compare(member, wanted) === 0);
}

function compareNumbers(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function sameMembers(a: readonly Uint8Array[], b: readonly Uint8Array[]): boolean {
  return a.length === b.length && a.every((member) => hasMember(b, member));
}

function sameElements(a: readonly Attribute[], b: readonly Attribute[]): boolean {
  return a.length === b.length && a.every((element, index) => sameValue(element, b[index]));
}

function sameEntries(a: Item, b: Item): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameValue(a[name], b[name]))
  );
}

function sameValue(a: Attribute | undefined, b: Attribute | undefined): boolean {
  return a !== undefined && b !== undefined && isEqual(a, b);
}
