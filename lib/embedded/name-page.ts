/** A page of names in the order of their UTF-8 bytes, which is how SQLite compares text. */

/**
 * The end of a query over an index whose next column is `name`. One lower bound, so that the index is
 * entered where the page begins, whichever of the two is higher.
 */
export const PAGE =
  'name >= max(:prefix, :startAfter) AND name <> :startAfter ORDER BY name LIMIT :limit';

/** Names with a prefix are neighbours, so the first one without it ends the page. */
export function keepPrefix<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
  prefix: string,
): readonly Entry[] {
  const end = entries.findIndex(({ name }) => !name.startsWith(prefix));
  return end < 0 ? entries : entries.slice(0, end);
}
