/** Works out the right side of an assignment from the item before the update. */
import type { Attribute, Item } from '../../../lib/aws/table.ts';
import { type DocumentPath, valueAt } from './document-path.ts';
import { storedNumber } from './stored-form.ts';
import type { SetOperand, SetValue } from './update.ts';
import { ValidationException } from './validation-exception.ts';

export function setValue(value: SetValue, before: Item): Attribute {
  if (!('left' in value)) return operandValue(value, before);
  const left = wholeNumber(operandValue(value.left, before));
  const right = wholeNumber(operandValue(value.right, before));
  return { N: storedNumber(String(value.kind === 'sum' ? left + right : left - right)) };
}

function operandValue(operand: SetOperand, before: Item): Attribute {
  switch (operand.kind) {
    case 'value':
      return operand.value;
    case 'path':
      return present(before, operand.path);
    case 'if-not-exists':
      return valueAt(before, operand.path) ?? operandValue(operand.otherwise, before);
    case 'list-append': {
      const first = elements(operandValue(operand.first, before));
      return { L: [...first, ...elements(operandValue(operand.second, before))] };
    }
  }
}

function present(before: Item, path: DocumentPath): Attribute {
  const value = valueAt(before, path);
  if (value !== undefined) return value;
  throw new ValidationException(
    'The provided expression refers to an attribute that does not exist in the item',
  );
}

function wholeNumber(value: Attribute): bigint {
  if ('N' in value) return BigInt(value.N);
  throw wrongOperand();
}

function elements(value: Attribute): readonly Attribute[] {
  if ('L' in value) return value.L;
  throw wrongOperand();
}

export function wrongOperand(): ValidationException {
  return new ValidationException('An operand in the update expression has an incorrect data type');
}
