/**
 * JSON whose numbers keep the digits they were written with, since headers are compared by those (SPEC F3).
 * How deep a text is nested is known before anything walks over it.
 */

/** A number of a JSON text. */
export class WrittenNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type WrittenObject = Readonly<Record<string, unknown>>;

/** Undefined when the text is no JSON. */
export function parseWrittenJson(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(
      text,
      (_name, member, context?: { readonly source?: string }) =>
        typeof member === 'number' ? new WrittenNumber(context?.source ?? String(member)) : member,
    );
    return { value };
  } catch {
    return undefined;
  }
}

export function isWrittenObject(value: unknown): value is WrittenObject {
  const isObject = typeof value === 'object' && value !== null;
  return isObject && !Array.isArray(value) && !(value instanceof WrittenNumber);
}

/** How many arrays and objects lie within each other. Of a text that is no JSON, some number. */
export function nestingDepth(text: string): number {
  let [depth, deepest] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = stringEnd(text, at);
    if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth);
    if (character === ']' || character === '}') depth--;
  }
  return deepest;
}

/** Where the quote is that ends the string which begins here. */
export function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
