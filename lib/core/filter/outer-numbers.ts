/**
 * The numbers that are members of a JSON object itself, as they were written. Found in the text: a parser that
 * shows how each number was written takes 200 ms for 64 KiB of them, and a filter is asked of every message.
 */
import { stringEnd } from './written-json.ts';

const NUMBER = /-?[0-9][0-9.eE+-]*/y;

/** By name; the last one of a repeated name. The text must be that of a JSON object. */
export function outerNumbers(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let name: string | undefined;
  for (let at = text.indexOf('{') + 1; at < text.length; at++) {
    const character = text[at] ?? '';
    const end = valueEnd(text, at);
    if (character === '"' && name === undefined) name = unquoted(text.slice(at, end));
    else if (character === ',') name = undefined;
    else if (name !== undefined && /[-0-9]/.test(character)) found.set(name, text.slice(at, end));
    at = end - 1;
  }
  return found;
}

/** Behind the value that begins here; behind the character when none does. */
function valueEnd(text: string, start: number): number {
  switch (text[start]) {
    case '"':
      return stringEnd(text, start) + 1;
    case '[':
    case '{':
      return nestedEnd(text, start);
    default:
      NUMBER.lastIndex = start;
      return NUMBER.test(text) ? NUMBER.lastIndex : start + 1;
  }
}

function nestedEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = stringEnd(text, at);
    if (character === '[' || character === '{') depth++;
    if ((character === ']' || character === '}') && --depth === 0) return at + 1;
  }
  return text.length;
}

function unquoted(text: string): string {
  return text.includes('\\') ? String(JSON.parse(text)) : text.slice(1, -1);
}
