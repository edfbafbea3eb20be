/** Expressions and what they do, case by case; the same cases are put to a table over the network. */
import { describe, expect, test } from 'vitest';
import type { Item } from '../../../lib/aws/table.ts';
import { CONDITION_CASES } from './condition-cases.ts';
import { DELIVERY_CASES } from './delivery-cases.ts';
import { type ExpressionCase, KEY_ATTRIBUTES, stepOf } from './expression-case.ts';
import { INVALID_CASES } from './invalid-cases.ts';
import { LOG_CASES } from './log-cases.ts';
import { planWrite, type WritePlan } from './plan-write.ts';
import { bothOutcomes } from './protocol-case.ts';
import { UPDATE_CASES } from './update-cases.ts';

describe.each([
  ['conditions', CONDITION_CASES],
  ['updates', UPDATE_CASES],
  ['the log', bothOutcomes(LOG_CASES)],
  ['delivery', bothOutcomes(DELIVERY_CASES)],
])('%s', (_area, cases) => {
  test.each(cases.map((one) => [one.name, one] as const))('%s', (_name, one) => {
    expect(shown(one, evaluate(one))).toEqual(one.outcome);
  });
});

describe('is refused unseen', () => {
  test.each(INVALID_CASES.map((one) => [one.name, one] as const))('%s', (_name, one) => {
    const says = one.outcome.kind === 'invalid' ? one.outcome.says : /never/;

    expect(() => evaluate(one)).toThrow(
      expect.objectContaining({
        name: 'ValidationException',
        message: expect.stringMatching(says),
      }),
    );
  });
});

function evaluate(one: ExpressionCase): WritePlan {
  return planWrite(stepOf(one), one.item && { ...KEY_ATTRIBUTES, ...one.item });
}

/** In the words of a case. */
function shown({ outcome }: ExpressionCase, plan: WritePlan): object {
  if (plan.kind === 'refused') return plan;
  const says = outcome.kind === 'done' && outcome.item !== undefined;
  return says ? { kind: 'done', item: withoutKey(plan.after ?? {}) } : { kind: 'done' };
}

function withoutKey({ k: _k, s: _s, ...rest }: Item): Item {
  return rest;
}
