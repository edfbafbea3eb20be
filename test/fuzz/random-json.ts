/** JSON texts with all that writers do to them: spaces anywhere, escapes, repeated names, odd numbers. */
import type { Chance } from './chance.ts';
import { utf8Pieces } from './mutate-bytes.ts';

const SCALARS = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '1e3',
  '-1.50E-7',
  '12345678901234567890',
  '""',
];
const STRINGS = [
  'a',
  'é',
  '🜁',
  '\\"',
  '\\\\',
  '\\u0061',
  '\\ud800',
  '\\n',
  '/',
  ']',
  '}',
  ',',
  ':',
  '\u2028',
  ' ',
];
const SPACES = ['', '', '', ' ', '\n', '\r', '\r\n', '\t  '];

export const JSON_PIECES = utf8Pieces(
  ...[
    '[',
    ']',
    '{',
    '}',
    ',',
    ':',
    '"',
    '\\',
    '\\u12',
    '\\u00g1',
    '\\u12FG',
    '0',
    '-',
    '.',
    'e',
    'E+',
    'nul',
    ' ',
    '\n',
    '\u0000',
  ],
  ...['\ufeff', '\u00a0', '"a":', '[[[[', '{"a":{"b":', '1e999', '\\u0000', "'", '//', '01'],
);

export function randomJson(chance: Chance, depth = 4): string {
  const space = () => chance.pick(SPACES);
  const kind = depth === 0 ? 0 : chance.below(4);
  if (kind < 2) return kind === 0 ? chance.pick(SCALARS) : randomString(chance);
  const inner = () => `${space()}${randomJson(chance, depth - 1)}${space()}`;
  if (kind === 2) return `[${chance.some(4, inner).join(',') || space()}]`;
  const member = () => `${space()}${randomString(chance)}${space()}:${inner()}`;
  return `{${chance.some(4, member).join(',') || space()}}`;
}

export function randomString(chance: Chance): string {
  return `"${chance.some(3, () => chance.pick(STRINGS)).join('')}"`;
}
