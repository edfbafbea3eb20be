/** Values and names in the form of the AWS SDK. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Attribute, Item } from '../../lib/aws/table.ts';

type SdkItem = { [name: string]: AttributeValue };

export function toAttributeValues(item: Item): SdkItem {
  return mapEntries(item, toAttributeValue);
}

export function toItem(values: SdkItem): Item {
  return mapEntries(values, toAttribute);
}

/** What each alias in the text stands for: what the names say, else itself. Undefined for none. */
export function usedNames(
  text: string,
  names: { readonly [alias: string]: string } = {},
): { [alias: string]: string } | undefined {
  const used = text.match(/#\w+/g) ?? [];
  const all = { ...Object.fromEntries(used.map((alias) => [alias, alias.slice(1)])), ...names };
  return Object.keys(all).length === 0 ? undefined : all;
}

function toAttributeValue(value: Attribute): AttributeValue {
  if ('S' in value) return { S: value.S };
  if ('N' in value) return { N: value.N };
  if ('B' in value) return { B: value.B };
  if ('BS' in value) return { BS: [...value.BS] };
  if ('L' in value) return { L: value.L.map(toAttributeValue) };
  return { M: toAttributeValues(value.M) };
}

function toAttribute(value: AttributeValue): Attribute {
  if (value.S !== undefined) return { S: value.S };
  if (value.N !== undefined) return { N: value.N };
  if (value.B !== undefined) return { B: value.B };
  if (value.BS !== undefined) return { BS: value.BS };
  if (value.L !== undefined) return { L: value.L.map(toAttribute) };
  if (value.M !== undefined) return { M: toItem(value.M) };
  throw new Error(`a value of no known type: ${Object.keys(value).join(' ')}`);
}

function mapEntries<From, To>(
  record: { readonly [name: string]: From },
  map: (value: From) => To,
): { [name: string]: To } {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
