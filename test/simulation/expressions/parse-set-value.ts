/** Reads the right side of an assignment: an operand, or two with one sign between them. */
import type { Attribute } from '../../../lib/aws/table.ts';
import { typeOf } from './attribute-order.ts';
import { parsePath } from './document-path.ts';
import type { Source } from './parse-operand.ts';
import type { SetOperand, SetValue } from './update.ts';
import { ValidationException } from './validation-exception.ts';

export function parseSetValue(source: Source): SetValue {
  const { tokens } = source;
  const left = parseSetOperand(source);
  const sign = ['+', '-'].find((symbol) => tokens.skip(symbol));
  if (sign === undefined) return left;
  tokens.countOperator();
  const right = parseSetOperand(source);
  for (const operand of [left, right]) checkLiteral(operand, sign, 'N');
  return { kind: sign === '+' ? 'sum' : 'difference', left, right };
}

function parseSetOperand(source: Source): SetOperand {
  const { tokens, bindings } = source;
  if (tokens.startsCall()) return parseSetFunction(source);
  if (tokens.peek().kind !== 'placeholder')
    return { kind: 'path', path: parsePath(tokens, bindings) };
  return { kind: 'value', value: bindings.value(tokens.next().text) };
}

function parseSetFunction(source: Source): SetOperand {
  const { tokens } = source;
  const name = tokens.next().text;
  tokens.countOperator();
  tokens.expect('(');
  const first = parseSetOperand(source);
  tokens.expect(',');
  const second = parseSetOperand(source);
  tokens.expect(')');
  if (name === 'if_not_exists') return ifNotExists(first, second);
  if (name === 'list_append') return listAppend(first, second);
  throw new ValidationException(
    `Invalid UpdateExpression: Invalid function name; function: ${name}`,
  );
}

function ifNotExists(first: SetOperand, otherwise: SetOperand): SetOperand {
  if (first.kind === 'path') return { kind: 'if-not-exists', path: first.path, otherwise };
  throw new ValidationException(
    'Invalid UpdateExpression: Operator or function requires a document path; operator or function: if_not_exists',
  );
}

function listAppend(first: SetOperand, second: SetOperand): SetOperand {
  for (const operand of [first, second]) {
    checkLiteral(operand, 'list_append', 'L');
    if (operand.kind !== 'list-append') continue;
    throw new ValidationException(
      'Invalid UpdateExpression: The function is not allowed to be used this way in an expression; function: list_append',
    );
  }
  return { kind: 'list-append', first, second };
}

function checkLiteral(operand: SetOperand, operator: string, type: 'N' | 'L'): void {
  if (operand.kind !== 'value' || type in operand.value) return;
  throw incorrectType(operator, operand.value);
}

function incorrectType(operator: string, value: Attribute): ValidationException {
  return new ValidationException(
    `Invalid UpdateExpression: Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${typeOf(value)}`,
  );
}
