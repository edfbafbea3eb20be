/**
 * Attributes of items, made and read. What is absent or of another type was not written by this program
 * or got damaged: reading it is an error that names the item, never a default.
 */
import { StoreError } from '../ports/store-error.ts';
import type { Attribute, Item } from './table.ts';

export function textValue(text: string): Attribute {
  return { S: text };
}

export function numberValue(number: number): Attribute {
  return { N: String(number) };
}

export function bytesValue(bytes: Uint8Array): Attribute {
  return { B: bytes };
}

export function listValue(...values: readonly Attribute[]): Attribute {
  return { L: values };
}

export function mapValue(entries: Item): Attribute {
  return { M: entries };
}

export function textOf(item: Item, name: string): string {
  return asText(item[name], () => where(item, name));
}

export function numberOf(item: Item, name: string): number {
  return asNumber(item[name], () => where(item, name));
}

export function bytesOf(item: Item, name: string): Uint8Array {
  return asBytes(item[name], () => where(item, name));
}

export function listOf(item: Item, name: string): readonly Attribute[] {
  return asList(item[name], () => where(item, name));
}

export function mapOf(item: Item, name: string): Item {
  const value = item[name];
  if (value !== undefined && 'M' in value) return value.M;
  throw damaged(where(item, name));
}

/** The values of a set, or none: an empty set is no attribute. */
export function setOf(item: Item, name: string): readonly Uint8Array[] {
  const value = item[name];
  if (value === undefined) return [];
  if ('BS' in value) return value.BS;
  throw damaged(where(item, name));
}

export function asText(value: Attribute | undefined, what: () => string): string {
  if (value !== undefined && 'S' in value) return value.S;
  throw damaged(what());
}

export function asNumber(value: Attribute | undefined, what: () => string): number {
  const number = value !== undefined && 'N' in value ? Number(value.N) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw damaged(what());
}

export function asBytes(value: Attribute | undefined, what: () => string): Uint8Array {
  if (value !== undefined && 'B' in value) return value.B;
  throw damaged(what());
}

export function asList(value: Attribute | undefined, what: () => string): readonly Attribute[] {
  if (value !== undefined && 'L' in value) return value.L;
  throw damaged(what());
}

function where(item: Item, name: string): string {
  const [k, s] = [item['k'], item['s']];
  const key = [k, s].map((part) => (part !== undefined && 'S' in part ? part.S : '?')).join(' ');
  return `attribute ${name} of item ${key}`;
}

function damaged(what: string): StoreError {
  return new StoreError(`${what} is missing or of another type`, {
    kind: 'corrupt',
    sideEffects: 'none',
  });
}
