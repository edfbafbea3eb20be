/**
 * In which form an event's data stands in JSON: `data` as a JSON value or as text, or `data_base64`. The
 * content type and the bytes imply one, since binary mode says no more; a sender that chose another is
 * remembered by a header that is no attribute, so that every event comes back as it was sent (SPEC CE4).
 */
import { isUtf8 } from 'node:buffer';
import { isJsonType, isTextType } from '../core/log/message.ts';
import { isJsonText } from '../wire/json-grammar.ts';

export type DataForm = 'json' | 'text' | 'base64';

/** Before the names of attributes, as headers of a request and of a message alike. */
export const ATTRIBUTE_PREFIX = 'ce-';

/** No attribute may be named `data`, so no sender can mean anything else by this header. */
export const FORM_HEADER = 'ce-data';

export interface EventBody {
  readonly body: Uint8Array;
  readonly contentType: string;
  /** True when the body is known to be JSON text; else it is looked at. */
  readonly isJson: boolean;
}

/** Undefined for an empty body: HTTP does not tell it from none, so it is none. */
export function impliedForm({ body, contentType, isJson }: EventBody): DataForm | undefined {
  if (body.length === 0) return undefined;
  if (isJsonData(contentType)) return isJson || holdsJson(body) ? 'json' : 'base64';
  return isTextData(contentType) && isUtf8(body) ? 'text' : 'base64';
}

/** The form that a sender chose, where the body can take it. */
export function chosenForm(chosen: DataForm | undefined, event: EventBody): DataForm | undefined {
  if (chosen === 'base64') return 'base64';
  const isText = chosen === 'text' && !isJsonData(event.contentType) && isUtf8(event.body);
  return isText ? 'text' : impliedForm(event);
}

/** The specification counts every subtype `json`, not that of `application` alone. */
export function isJsonData(contentType: string): boolean {
  return isJsonType(contentType) || /^[^;]*\/json *(?:;|$)/i.test(contentType);
}

/** Types whose bodies people read; of others, text is told from bytes by its sender alone. */
function isTextData(contentType: string): boolean {
  return (
    isTextType(contentType) ||
    /^[^;]*(?:[/+]xml|\/x-www-form-urlencoded) *(?:;|$)/i.test(contentType)
  );
}

/** Of a body that may be anything. */
export function holdsJson(body: Uint8Array): boolean {
  return isUtf8(body) && isJsonText(body);
}
