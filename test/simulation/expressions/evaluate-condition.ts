/**
 * Whether a condition holds for an item. What compares an absent attribute, or values of different types,
 * is false; `<>` and NOT of it are true.
 */
import type { Attribute, Item } from '../../../lib/aws/table.ts';
import { compareValues, hasMember, isEqual } from './attribute-order.ts';
import type { Comparator, Condition, Operand } from './condition.ts';
import { valueAt } from './document-path.ts';

export function holds(condition: Condition, item: Item): boolean {
  const read = (operand: Operand) => operandValue(operand, item);
  switch (condition.kind) {
    case 'and':
      return holds(condition.left, item) && holds(condition.right, item);
    case 'or':
      return holds(condition.left, item) || holds(condition.right, item);
    case 'not':
      return !holds(condition.condition, item);
    case 'group':
      return holds(condition.condition, item);
    case 'compare':
      return compares(condition.comparator, read(condition.left), read(condition.right));
    case 'between':
      return isBetween(read(condition.operand), read(condition.low), read(condition.high));
    case 'in':
      return condition.choices.some((choice) =>
        compares('=', read(condition.operand), read(choice)),
      );
    case 'exists':
      return valueAt(item, condition.path) !== undefined;
    case 'not-exists':
      return valueAt(item, condition.path) === undefined;
    case 'contains':
      return contains(read(condition.whole), read(condition.part));
    case 'begins-with':
      return beginsWith(read(condition.whole), read(condition.part));
  }
}

function operandValue(operand: Operand, item: Item): Attribute | undefined {
  switch (operand.kind) {
    case 'path':
      return valueAt(item, operand.path);
    case 'value':
      return operand.value;
    case 'size':
      return sizeOf(operandValue(operand.of, item));
  }
}

function sizeOf(value: Attribute | undefined): Attribute | undefined {
  if (value === undefined || 'N' in value) return undefined;
  if ('S' in value) return { N: String(value.S.length) };
  if ('B' in value) return { N: String(value.B.length) };
  if ('BS' in value) return { N: String(value.BS.length) };
  return { N: String('L' in value ? value.L.length : Object.keys(value.M).length) };
}

function compares(
  comparator: Comparator,
  left: Attribute | undefined,
  right: Attribute | undefined,
): boolean {
  if (left === undefined || right === undefined) return comparator === '<>';
  if (comparator === '=') return isEqual(left, right);
  if (comparator === '<>') return !isEqual(left, right);
  const order = compareValues(left, right);
  return order !== undefined && isInOrder(comparator, order);
}

function isInOrder(comparator: '<' | '<=' | '>' | '>=', order: number): boolean {
  switch (comparator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

function isBetween(
  value: Attribute | undefined,
  low: Attribute | undefined,
  high: Attribute | undefined,
): boolean {
  return compares('>=', value, low) && compares('<=', value, high);
}

function contains(whole: Attribute | undefined, part: Attribute | undefined): boolean {
  if (whole === undefined || part === undefined) return false;
  if ('S' in whole) return 'S' in part && whole.S.includes(part.S);
  if ('B' in whole) return 'B' in part && Buffer.from(whole.B).includes(Buffer.from(part.B));
  if ('BS' in whole) return 'B' in part && hasMember(whole.BS, part.B);
  return 'L' in whole && whole.L.some((element) => isEqual(element, part));
}

function beginsWith(whole: Attribute | undefined, prefix: Attribute | undefined): boolean {
  if (whole === undefined || prefix === undefined) return false;
  if ('S' in whole) return 'S' in prefix && whole.S.startsWith(prefix.S);
  if (!('B' in whole) || !('B' in prefix)) return false;
  return Buffer.compare(whole.B.subarray(0, prefix.B.length), prefix.B) === 0;
}
