/** Bytes of an item by the published rules: what is charged, and what the limit of 400 KB means. */
import type { Attribute, Item } from '../../../lib/aws/table.ts';

/** Of a list or a map, and of each element in one. */
const CONTAINER_BYTES = 3;
const ELEMENT_BYTES = 1;

export function itemBytes(item: Item): number {
  return sum(Object.entries(item), ([name, value]) => Buffer.byteLength(name) + valueBytes(value));
}

function valueBytes(value: Attribute): number {
  if ('S' in value) return Buffer.byteLength(value.S);
  if ('N' in value) return numberBytes(value.N);
  if ('B' in value) return value.B.length;
  if ('BS' in value) return sum(value.BS, (member) => member.length);
  if ('L' in value) {
    return CONTAINER_BYTES + sum(value.L, (element) => ELEMENT_BYTES + valueBytes(element));
  }
  const entries = Object.keys(value.M).length;
  return CONTAINER_BYTES + entries * ELEMENT_BYTES + itemBytes(value.M);
}

/** One byte for two significant digits and one more, and one for a sign. */
function numberBytes(text: string): number {
  const digits = text.replace('-', '').replace(/^0+/, '').replace(/0+$/, '');
  if (digits === '') return 1;
  return Math.ceil(digits.length / 2) + 1 + (text.startsWith('-') ? 1 : 0);
}

function sum<Part>(parts: readonly Part[], bytes: (part: Part) => number): number {
  return parts.reduce((total, part) => total + bytes(part), 0);
}
