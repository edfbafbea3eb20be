/**
 * Repeats what a client sent inside a reason: one line, escaped, bounded, so that neither an answer
 * nor a log line grows or breaks by it.
 */

/** Longer than any name or position worth recognising, far below a log line. */
const QUOTED_CHARS_MAX = 64;

export function quote(text: string): string {
  const ending = text.length > QUOTED_CHARS_MAX ? '…' : '';
  const quoted = JSON.stringify(text.slice(0, QUOTED_CHARS_MAX) + ending);
  return quoted.replace(/[\p{Cc}\u2028\u2029]/gu, escapeUnit);
}

/** JSON leaves DEL, C1 and the two Unicode line breaks as they are, and a log may break there. */
function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
