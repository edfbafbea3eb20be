/**
 * Attributes as the SDK wants and gives them, whose types say more kinds than items of Varve have. Copies
 * lists and maps; text, numbers and bytes are handed on.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { assert } from '../core/assert.ts';
import { StoreError } from '../ports/store-error.ts';
import type { Attribute, Item, ItemKey } from './table.ts';

type SdkItem = Record<string, AttributeValue>;

export function encodeKey({ k, s }: ItemKey): SdkItem {
  return { k: { S: k }, s: { S: s } };
}

export function encodeItem(item: Item): SdkItem {
  const encoded: SdkItem = {};
  for (const [name, value] of Object.entries(item)) encoded[name] = encodeAttribute(value);
  return encoded;
}

function encodeAttribute(attribute: Attribute): AttributeValue {
  if ('L' in attribute) return { L: attribute.L.map(encodeAttribute) };
  if ('M' in attribute) return { M: encodeItem(attribute.M) };
  if ('BS' in attribute) {
    assert(attribute.BS.length > 0, 'DynamoDB has no empty sets');
    return { BS: [...attribute.BS] };
  }
  return attribute;
}

export function decodeItem(item: SdkItem): Item {
  const decoded: Record<string, Attribute> = {};
  for (const [name, value] of Object.entries(item)) decoded[name] = decodeAttribute(value, name);
  return decoded;
}

function decodeAttribute(value: AttributeValue, name: string): Attribute {
  if (value.S !== undefined) return { S: value.S };
  if (value.N !== undefined) return { N: value.N };
  if (value.B !== undefined) return { B: value.B };
  if (value.BS !== undefined) return { BS: value.BS };
  if (value.L !== undefined) return { L: value.L.map((element) => decodeAttribute(element, name)) };
  if (value.M !== undefined) return { M: decodeItem(value.M) };
  throw new StoreError(`attribute ${name} is of a type that is never written`, {
    kind: 'corrupt',
    sideEffects: 'none',
  });
}
