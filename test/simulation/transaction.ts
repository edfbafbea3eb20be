/** All steps of a transaction or none, and what is refused of one whatever the items are. */
import type { Item, TransactionResult, TransactionStep } from '../../lib/aws/table.ts';
import { canonicalText } from './canonical-text.ts';
import { total, writeUnits } from './consumed-units.ts';
import { itemBytes } from './expressions/item-size.ts';
import { keyOf, planWrite, type WritePlan } from './expressions/plan-write.ts';
import { storedItem } from './expressions/stored-form.ts';
import { ValidationException } from './expressions/validation-exception.ts';
import type { StoredItems } from './stored-items.ts';

const STEPS_MAX = 100;
const TOKEN_CHARACTERS_MAX = 36;
const TRANSACTION_BYTES_MAX = 4 * 1024 * 1024;
/** A transaction writes everything twice. */
const UNITS_FACTOR = 2;

interface StepPlan {
  readonly step: TransactionStep;
  readonly before: Item | undefined;
  readonly plan: WritePlan;
}

export function checkTransaction(steps: readonly TransactionStep[], token: string): void {
  if (steps.length < 1 || steps.length > STEPS_MAX) {
    throw new ValidationException(
      `A transaction must have 1 to ${STEPS_MAX} actions, not ${steps.length}`,
    );
  }
  if (token.length < 1 || token.length > TOKEN_CHARACTERS_MAX) {
    throw new ValidationException(
      `A token must have 1 to ${TOKEN_CHARACTERS_MAX} characters, not ${token.length}`,
    );
  }
  if (new Set(steps.map((step) => canonicalText(keyOf(step)))).size === steps.length) return;
  throw new ValidationException(
    'Transaction request cannot include multiple operations on one item',
  );
}

export function applyTransaction(
  stored: StoredItems,
  steps: readonly TransactionStep[],
): { readonly result: TransactionResult; readonly units: number } {
  const plans = steps.map((step) => {
    const before = stored.get(keyOf(step));
    return { step, before, plan: planWrite(step, before) };
  });
  checkBytes(plans);
  const units = UNITS_FACTOR * total(plans.map(stepUnits));
  if (plans.some(isRefused))
    return { result: { kind: 'refused', steps: plans.map(answer) }, units };
  for (const { step, plan } of plans) {
    if (plan.kind === 'write' && step.kind !== 'check') stored.set(keyOf(step), plan.after);
  }
  return { result: { kind: 'done' }, units };
}

function stepUnits({ before, plan }: StepPlan): number {
  return plan.kind === 'write' ? writeUnits(before, plan.after) : writeUnits(before);
}

function isRefused({ plan }: StepPlan): boolean {
  return plan.kind === 'refused';
}

/** Items are told of the steps that refused, and of no others. */
function answer(step: StepPlan): { readonly refused: boolean; readonly item?: Item } {
  const { before } = step;
  if (!isRefused(step)) return { refused: false };
  return before === undefined ? { refused: true } : { refused: true, item: storedItem(before) };
}

function checkBytes(plans: readonly StepPlan[]): void {
  const written = plans.map(({ plan }) => (plan.kind === 'write' ? plan.after : undefined));
  const bytes = total(written.map((item) => (item === undefined ? 0 : itemBytes(item))));
  if (bytes <= TRANSACTION_BYTES_MAX) return;
  throw new ValidationException(`A transaction of ${bytes} bytes, over ${TRANSACTION_BYTES_MAX}`);
}
