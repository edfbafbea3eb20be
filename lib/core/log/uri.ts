/**
 * What RFC 3986 takes for a URI or a reference to one, by its grammar alone: nothing is resolved,
 * decoded or changed. Every alternative begins with another character, so no text takes long.
 */

const UNRESERVED = "A-Za-z0-9._~!$&'()*+,;=\\-";
const ESCAPED = '%[0-9A-Fa-f]{2}';
const HOST = `(?:\\[([0-9A-Fa-f:.]+)\\]|(?:[${UNRESERVED}]|${ESCAPED})*)`;
const AUTHORITY = `\\/\\/(?:(?:[${UNRESERVED}:]|${ESCAPED})*@)?${HOST}(?::[0-9]*)?(?=[/?#]|$)`;
const PATH = `(?:[${UNRESERVED}:@/]|${ESCAPED})*`;
const TAIL = `(?:[${UNRESERVED}:@/?]|${ESCAPED})*`;

/** Behind the scheme: an authority, or a path that cannot be taken for one. */
const REST = `(?:${AUTHORITY}|(?!\\/\\/))${PATH}(?:\\?${TAIL})?(?:#${TAIL})?$`;
const SCHEME = '[A-Za-z][A-Za-z0-9+.-]*:';

/** More than a scheme: `http:` alone names nothing, and libraries refuse it. */
const URI = new RegExp(`^${SCHEME}(?![?#]|$)${REST}`);
/** `my_service:orders` passes, although the grammar wants no colon there: senders name sources so. */
const REFERENCE = new RegExp(`^(?:${SCHEME}|(?!${SCHEME}))${REST}`);

export function isUri(text: string): boolean {
  return matches(URI, text);
}

/** Empty text is a reference too, to the document that it stands in. */
export function isUriReference(text: string): boolean {
  return matches(REFERENCE, text);
}

function matches(grammar: RegExp, text: string): boolean {
  const match = grammar.exec(text);
  if (match === null) return false;
  const address = match[1];
  return address === undefined || URL.canParse(`http://[${address}]/`);
}
