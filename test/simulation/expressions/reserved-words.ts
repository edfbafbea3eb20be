/**
 * Words that must not stand for an attribute without an alias: those of DynamoDB's list that metadata is
 * tempted to use, and the keywords of the expressions themselves.
 */
const RESERVED = new Set(
  [
    'add and between delete in not or remove set',
    'base count cursor data end first hash key last list map name next object owner plan size start',
    'state status time token ttl value',
  ]
    .join(' ')
    .split(' '),
);

export function isReserved(name: string): boolean {
  return RESERVED.has(name.toLowerCase());
}
