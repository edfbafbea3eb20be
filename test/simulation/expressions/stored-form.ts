/**
 * Values as the table keeps them: copied, so that nobody can change them from outside, numbers and sets
 * in one form, so that equal values look equal. Refuses what the table cannot keep.
 */
import type { Attribute, Item } from '../../../lib/aws/table.ts';
import { ValidationException } from './validation-exception.ts';

const DIGITS_MAX = 38;
const WHOLE_NUMBER = /^-?[0-9]+$/;

export function storedItem(item: Item): Item {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, storedForm(value)]));
}

export function storedForm(value: Attribute): Attribute {
  if ('S' in value) return { S: value.S };
  if ('N' in value) return { N: storedNumber(value.N) };
  if ('B' in value) return { B: new Uint8Array(value.B) };
  if ('BS' in value) return { BS: storedSet(value.BS) };
  if ('L' in value) return { L: value.L.map(storedForm) };
  return { M: storedItem(value.M) };
}

/** The real table also keeps fractions; here they would only be a mistake of the caller. */
export function storedNumber(text: string): string {
  if (!WHOLE_NUMBER.test(text)) {
    throw new ValidationException(`The parameter cannot be converted to a whole number: ${text}`);
  }
  const number = String(BigInt(text));
  const digits = number.replace('-', '').replace(/0+$/, '').length;
  if (digits <= DIGITS_MAX) return number;
  throw new ValidationException(
    `Attempting to store more than ${DIGITS_MAX} significant digits in a Number`,
  );
}

function storedSet(members: readonly Uint8Array[]): Uint8Array[] {
  if (members.length === 0) {
    throw new ValidationException(
      'One or more parameter values were invalid: An binary set may not be empty',
    );
  }
  const sorted = members.map((member) => new Uint8Array(member)).sort(Buffer.compare);
  const isRepeated = (member: Uint8Array, index: number) =>
    index > 0 && Buffer.compare(member, sorted[index - 1] ?? member) === 0;
  if (!sorted.some(isRepeated)) return sorted;
  throw new ValidationException(
    'One or more parameter values were invalid: Input collection contains duplicates',
  );
}
