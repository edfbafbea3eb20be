/** Reads an update: each of its four clauses at most once, in any order. */
import { typeOf } from './attribute-order.ts';
import type { Bindings } from './bindings.ts';
import { checkDisjoint, type DocumentPath, parsePath } from './document-path.ts';
import type { Source } from './parse-operand.ts';
import { parseSetValue } from './parse-set-value.ts';
import { readTokens } from './tokens.ts';
import type { Assignment, MemberChange, Update } from './update.ts';
import { ValidationException } from './validation-exception.ts';

const CLAUSES = ['SET', 'REMOVE', 'ADD', 'DELETE'] as const;
type Clause = (typeof CLAUSES)[number];

interface OpenUpdate extends Update {
  readonly sets: Assignment[];
  readonly removes: DocumentPath[];
  readonly adds: MemberChange[];
  readonly deletes: MemberChange[];
}

export function parseUpdate(expression: string, bindings: Bindings): Update {
  const source = { tokens: readTokens(expression, 'UpdateExpression'), bindings };
  const update: OpenUpdate = { sets: [], removes: [], adds: [], deletes: [] };
  const seen = new Set<Clause>();
  while (source.tokens.peek().kind !== 'end') {
    const clause = CLAUSES.find((keyword) => source.tokens.skipKeyword(keyword));
    if (clause === undefined) throw source.tokens.unexpected();
    if (seen.has(clause)) throw repeated(clause);
    seen.add(clause);
    do parseAction(source, clause, update);
    while (source.tokens.skip(','));
  }
  checkDisjoint(writtenPaths(update));
  return update;
}

/** Every path that the update writes. */
export function writtenPaths({ sets, removes, adds, deletes }: Update): readonly DocumentPath[] {
  return [...[...sets, ...adds, ...deletes].map(({ path }) => path), ...removes];
}

function parseAction(source: Source, clause: Clause, update: OpenUpdate): void {
  const path = parsePath(source.tokens, source.bindings);
  switch (clause) {
    case 'SET':
      source.tokens.expect('=');
      update.sets.push({ path, value: parseSetValue(source) });
      break;
    case 'REMOVE':
      update.removes.push(path);
      break;
    case 'ADD':
      update.adds.push(parseMembers(source, path, ['N', 'BS']));
      break;
    case 'DELETE':
      update.deletes.push(parseMembers(source, path, ['BS']));
      break;
  }
}

function parseMembers(
  { tokens, bindings }: Source,
  path: DocumentPath,
  types: readonly string[],
): MemberChange {
  if (tokens.peek().kind !== 'placeholder') throw tokens.unexpected();
  const value = bindings.value(tokens.next().text);
  // The table's manual allows them for whole attributes alone, whatever others take.
  if (path.length > 1) {
    throw new ValidationException(
      'Invalid UpdateExpression: ADD and DELETE are for top-level attributes',
    );
  }
  if (types.includes(typeOf(value))) return { path, value };
  throw new ValidationException(
    `Invalid UpdateExpression: Incorrect operand type for operator or function; operator: ADD or DELETE, operand type: ${typeOf(value)}`,
  );
}

function repeated(clause: Clause): ValidationException {
  return new ValidationException(
    `Invalid UpdateExpression: The "${clause}" section can only be used once in an update expression`,
  );
}
