/** The values that many schemas are made of: offsets, times, ids, texts, names. */
import * as z from 'zod';

export function offsetValue(description: string) {
  return z.int().min(0).describe(description);
}

export function timeValue(description: string) {
  return z.int().describe(`${description}, in ms since 1970 UTC`);
}

export function streamIdValue(description: string) {
  return z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .describe(description);
}

/** Half a surrogate pair has no UTF-8, so it is no text to a message. */
export function textValue() {
  return z.string().refine((text) => text.isWellFormed(), 'holds half a surrogate pair');
}

/** Characters are counted as descriptions count them: one outside the first plane is one, not two. */
export function boundedText(charsMax: number) {
  const fits = (text: string) =>
    text !== '' && text.length <= 2 * charsMax && [...text].length <= charsMax;
  return textValue()
    .refine(fits, `must have 1 to ${charsMax} characters`)
    .meta({ minLength: 1, maxLength: charsMax });
}

/** With its padding, as `decodeBase64` takes it. */
export const BASE64_FORM = {
  pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
  contentEncoding: 'base64',
} as const;

/** As `checkContentType` takes it. */
export const CONTENT_TYPE_FORM = { pattern: '^[!-~]+/[ -~]*[!-~]$' } as const;

export function base64Value() {
  const form = new RegExp(BASE64_FORM.pattern);
  return z
    .string()
    .refine((text) => form.test(text), 'is not base64 with its padding')
    .meta(BASE64_FORM);
}

/**
 * What a name looks like (SPEC P9), for descriptions: `parseName` decides. The bytes of UTF-8 cannot
 * be told by a schema, so `maxLength` is exact for ASCII alone.
 */
export const NAME_FORM = {
  minLength: 1,
  maxLength: 255,
  pattern: '^(?!\\.{1,2}$|amq\\.|varve\\.)[^\\u0000-\\u001f\\u007f-\\u009f]+$',
} as const;

/** The same for a consumer, which may have the name that a broker gave it (SPEC C5). */
export const CONSUMER_NAME_FORM = {
  minLength: 1,
  maxLength: 255,
  pattern: '^(?!\\.{1,2}$|amq\\.(?!ctag-)|varve\\.)[^\\u0000-\\u001f\\u007f-\\u009f]+$',
} as const;

/** The same for an exchange in a path, which may be the one without a name (SPEC X5). */
export const EXCHANGE_NAME_FORM = {
  minLength: 1,
  maxLength: 255,
  pattern: '^(?!\\.{1,2}$|amq\\.(?!default$)|varve\\.)[^\\u0000-\\u001f\\u007f-\\u009f]+$',
} as const;
