/** An expression of the protocol, once where its condition holds and once where it does not. */
import type { Item } from '../../../lib/aws/table.ts';
import { type ExpressionCase, leaves, REFUSED } from './expression-case.ts';

export interface ProtocolCase
  extends Pick<ExpressionCase, 'update' | 'condition' | 'names' | 'values'> {
  readonly name: string;
  readonly on: Item;
  /** Afterwards, when the condition holds. */
  readonly to: Item;
  /** Another item, or none, under which the condition refuses. */
  readonly refusedOn: Item | 'absent';
}

export function bothOutcomes(cases: readonly ProtocolCase[]): readonly ExpressionCase[] {
  return cases.flatMap(({ on, to, refusedOn, name, ...rest }): readonly ExpressionCase[] => [
    { name: `${name}: done`, item: on, ...rest, outcome: leaves(to) },
    {
      name: `${name}: refused`,
      ...(refusedOn !== 'absent' && { item: refusedOn }),
      ...rest,
      outcome: REFUSED,
    },
  ]);
}
