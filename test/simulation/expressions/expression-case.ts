/** A case of what an expression does to an item: for the evaluator here, and for a real table or its emulator. */
import type { Attribute, Expression, Item, TransactionStep } from '../../../lib/aws/table.ts';

export interface ExpressionCase extends Expression {
  readonly name: string;
  /** Without its key; no item at all when absent. */
  readonly item?: Item;
  /** Absent when only the condition matters. */
  readonly update?: string;
  readonly outcome: Outcome;
  /** Set where an emulator is known to answer otherwise than the real table. */
  readonly emulators?: 'differ';
}

export type Outcome =
  /** The item afterwards, without its key, where that matters. */
  | { readonly kind: 'done'; readonly item?: Item }
  | { readonly kind: 'refused' }
  | { readonly kind: 'invalid'; readonly says: RegExp };

export const DONE: Outcome = { kind: 'done' };
export const REFUSED: Outcome = { kind: 'refused' };

export function leaves(item: Item): Outcome {
  return { kind: 'done', item };
}

export function invalid(says: RegExp): Outcome {
  return { kind: 'invalid', says };
}

export const KEY = { k: 'T=a', s: 't' };
export const KEY_ATTRIBUTES: Item = { k: { S: KEY.k }, s: { S: KEY.s } };

/** The update that a case stands for; one that only has a condition leaves a mark. */
export function stepOf(expressionCase: ExpressionCase): TransactionStep & { kind: 'update' } {
  const { update, condition, names, values } = expressionCase;
  const isMarked = update === undefined;
  return {
    kind: 'update',
    key: KEY,
    update: update ?? 'SET #mark = :mark',
    ...(condition !== undefined && { condition }),
    ...(names !== undefined && { names }),
    ...((values !== undefined || isMarked) && {
      values: { ...values, ...(isMarked && { ':mark': S('seen') }) },
    }),
  };
}

export function S(text: string): Attribute {
  return { S: text };
}

export function N(number: number | string): Attribute {
  return { N: String(number) };
}

export function B(...bytes: readonly number[]): Attribute {
  return { B: Uint8Array.from(bytes) };
}

export function BS(...members: readonly (readonly number[])[]): Attribute {
  return { BS: members.map((member) => Uint8Array.from(member)) };
}

export function L(...elements: readonly Attribute[]): Attribute {
  return { L: elements };
}

export function M(entries: Item): Attribute {
  return { M: entries };
}
