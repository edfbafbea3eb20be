/** Reads what a condition compares: a path, a placeholder, or the size of one. */
import type { Bindings } from './bindings.ts';
import type { Operand } from './condition.ts';
import { parsePath } from './document-path.ts';
import type { Tokens } from './tokens.ts';
import { ValidationException } from './validation-exception.ts';

export interface Source {
  readonly tokens: Tokens;
  readonly bindings: Bindings;
}

export function parseOperand(source: Source): Operand {
  return source.tokens.startsCall() ? parseSize(source) : parseLeaf(source);
}

function parseLeaf({ tokens, bindings }: Source): Operand {
  if (tokens.peek().kind !== 'placeholder')
    return { kind: 'path', path: parsePath(tokens, bindings) };
  return { kind: 'value', value: bindings.value(tokens.next().text) };
}

function parseSize(source: Source): Operand {
  const name = source.tokens.next().text;
  if (name !== 'size') {
    throw new ValidationException(
      `Invalid ConditionExpression: The function is not allowed to be used this way in an expression; function: ${name}`,
    );
  }
  const [of, ...others] = parseArguments(source);
  if (of === undefined || others.length > 0) throw wrongCount(name, 1 + others.length);
  if (of.kind === 'value' && 'N' in of.value) throw wrongType(name, 'N');
  return { kind: 'size', of };
}

/** Behind the name of a function, which is counted here. */
export function parseArguments(source: Source): readonly Operand[] {
  const { tokens } = source;
  tokens.countOperator();
  tokens.expect('(');
  const operands = [parseOperand(source)];
  while (tokens.skip(',')) operands.push(parseOperand(source));
  tokens.expect(')');
  return operands;
}

export function wrongCount(name: string, count: number): ValidationException {
  return new ValidationException(
    `Invalid ConditionExpression: Incorrect number of operands for operator or function; operator or function: ${name}, number of operands: ${count}`,
  );
}

export function wrongType(name: string, type: string): ValidationException {
  return new ValidationException(
    `Invalid ConditionExpression: Incorrect operand type for operator or function; operator or function: ${name}, operand type: ${type}`,
  );
}
