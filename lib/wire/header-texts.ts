/** Members of a message's headers as the JSON texts that were published, so that numbers keep their digits. */
import { visitMembers } from './json-text.ts';

const decoder = new TextDecoder();

/** By their names; of a name that comes twice the last one counts, as everywhere. */
export function headerTexts(
  headers: Uint8Array,
  names: readonly string[],
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  visitMembers(headers, 0, ({ name, value: { start, end } }) => {
    if (names.includes(name)) texts.set(name, decoder.decode(headers.subarray(start, end)));
  });
  return texts;
}
