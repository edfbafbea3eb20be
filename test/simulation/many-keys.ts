/** What is refused of a read of many items at once. */
import type { ItemKey } from '../../lib/aws/table.ts';
import { canonicalText } from './canonical-text.ts';
import { ValidationException } from './expressions/validation-exception.ts';

const KEYS_MAX = 100;

export function checkManyKeys(keys: readonly ItemKey[]): void {
  const different = new Set(keys.map(canonicalText)).size;
  if (keys.length >= 1 && keys.length <= KEYS_MAX && different === keys.length) return;
  throw new ValidationException(
    `getMany takes 1 to ${KEYS_MAX} different keys, not ${keys.length} of which ${different} differ`,
  );
}
