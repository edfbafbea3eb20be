/**
 * Whether a stored message is an event: when its `ce-` headers are what publishing an event stores
 * (SPEC CE4). Anyone may publish such headers with a message, so they are judged as those of a request
 * are: what is read as an event is always a valid one.
 */
import {
  DATA_TYPE,
  PARTITION_KEY,
  parseAttribute,
  REQUIRED_ATTRIBUTES,
} from '../../core/log/event-attribute.ts';
import { type JsonPiece, scanMembers, withoutMembers } from '../../wire/json-text.ts';
import { ATTRIBUTE_PREFIX, type DataForm, FORM_HEADER } from '../event-data.ts';
import { bufferOf, memberValue } from '../member-value.ts';

export interface StoredEvent {
  /** Those that are headers, in their order, each with its value as it stands there. */
  readonly attributes: readonly { readonly name: string; readonly value: JsonPiece }[];
  /** As the sender chose it, where that is not implied. */
  readonly form: DataForm | undefined;
  /** The headers that are no attributes, as an object; undefined when there are none. */
  readonly otherHeaders: Uint8Array | undefined;
}

/** Undefined when these are the headers of a message that is no event. */
export function storedEvent(headers: Uint8Array): StoredEvent | undefined {
  const members = scanMembers(headers, 0);
  const own = members.filter(({ name }) => name.startsWith(ATTRIBUTE_PREFIX));
  const names = new Set(own.map(({ name }) => name));
  const isWhole = REQUIRED_ATTRIBUTES.every((name) => names.has(`${ATTRIBUTE_PREFIX}${name}`));
  if (!isWhole || names.size < own.length) return undefined;

  const text = bufferOf(headers);
  const attributes = [];
  let form: DataForm | undefined;
  for (const { name, value } of own) {
    const content = memberValue(text, value);
    if (name === FORM_HEADER) {
      if (content !== 'text' && content !== 'base64') return undefined;
      form = content;
    } else {
      const attribute = name.slice(ATTRIBUTE_PREFIX.length);
      if (!isStored(attribute, content)) return undefined;
      attributes.push({ name: attribute, value });
    }
  }
  const hasOthers = own.length < members.length;
  return { attributes, form, otherHeaders: hasOthers ? withoutMembers(headers, names) : undefined };
}

function isStored(name: string, value: unknown): boolean {
  if (name === DATA_TYPE || name === PARTITION_KEY) return false;
  return parseAttribute(name, value).kind === 'ok';
}
