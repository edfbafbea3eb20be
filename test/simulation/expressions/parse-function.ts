/** Reads the functions that are conditions by themselves. */
import type { Condition, Operand } from './condition.ts';
import { checkDistinct, checkPrefix } from './condition-checks.ts';
import type { DocumentPath } from './document-path.ts';
import { parseArguments, type Source, wrongCount } from './parse-operand.ts';
import { ValidationException } from './validation-exception.ts';

export function parseFunction(source: Source): Condition {
  const name = source.tokens.next().text;
  const operands = parseArguments(source);
  switch (name) {
    case 'attribute_exists':
      return { kind: 'exists', path: onePath(name, operands) };
    case 'attribute_not_exists':
      return { kind: 'not-exists', path: onePath(name, operands) };
    case 'contains':
      return { kind: 'contains', ...wholeAndPart(name, operands) };
    case 'begins_with':
      checkPrefix(operands);
      return { kind: 'begins-with', ...wholeAndPart(name, operands) };
    default:
      throw new ValidationException(
        `Invalid ConditionExpression: Invalid function name; function: ${name}`,
      );
  }
}

function onePath(name: string, operands: readonly Operand[]): DocumentPath {
  const [operand] = operands;
  if (operand === undefined || operands.length !== 1) throw wrongCount(name, operands.length);
  if (operand.kind === 'path') return operand.path;
  throw new ValidationException(
    `Invalid ConditionExpression: Operator or function requires a document path; operator or function: ${name}`,
  );
}

function wholeAndPart(
  name: string,
  operands: readonly Operand[],
): { readonly whole: Operand; readonly part: Operand } {
  const [whole, part] = operands;
  if (whole === undefined || part === undefined || operands.length !== 2) {
    throw wrongCount(name, operands.length);
  }
  checkDistinct(name, operands);
  return { whole, part };
}
