/** What is refused of a condition whatever the item is: literals of a wrong type, operands that are the same. */
import { compareValues, isOrdered, typeOf } from './attribute-order.ts';
import type { Operand } from './condition.ts';
import { isSamePath } from './document-path.ts';
import { wrongType } from './parse-operand.ts';
import { ValidationException } from './validation-exception.ts';

export function checkOrdered(operator: string, operands: readonly Operand[]): void {
  for (const operand of operands) {
    if (operand.kind !== 'value' || isOrdered(operand.value)) continue;
    throw wrongType(operator, typeOf(operand.value));
  }
}

export function checkPrefix(operands: readonly Operand[]): void {
  for (const operand of operands) {
    if (operand.kind !== 'value' || 'S' in operand.value || 'B' in operand.value) continue;
    throw wrongType('begins_with', typeOf(operand.value));
  }
}

export function checkBounds(low: Operand, high: Operand): void {
  if (low.kind !== 'value' || high.kind !== 'value') return;
  const order = compareValues(low.value, high.value);
  if (order !== undefined && order <= 0) return;
  throw new ValidationException(
    'Invalid ConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower bound, of the same type',
  );
}

export function checkDistinct(operator: string, [first, second]: readonly Operand[]): void {
  if (first?.kind !== 'path' || second?.kind !== 'path') return;
  if (!isSamePath(first.path, second.path)) return;
  throw new ValidationException(
    `Invalid ConditionExpression: The first operand must be distinct from the remaining operands for this operator or function; operator: ${operator}`,
  );
}
