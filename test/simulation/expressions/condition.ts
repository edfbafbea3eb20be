/** What a condition says, as a tree. Literal values are in place; paths are looked up in the item. */
import type { Attribute } from '../../../lib/aws/table.ts';
import type { DocumentPath } from './document-path.ts';

export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';

export type Operand =
  | { readonly kind: 'path'; readonly path: DocumentPath }
  | { readonly kind: 'value'; readonly value: Attribute }
  | { readonly kind: 'size'; readonly of: Operand };

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly left: Condition; readonly right: Condition }
  /** A group is what stands in parentheses. */
  | { readonly kind: 'not' | 'group'; readonly condition: Condition }
  | {
      readonly kind: 'compare';
      readonly comparator: Comparator;
      readonly left: Operand;
      readonly right: Operand;
    }
  | {
      readonly kind: 'between';
      readonly operand: Operand;
      readonly low: Operand;
      readonly high: Operand;
    }
  | { readonly kind: 'in'; readonly operand: Operand; readonly choices: readonly Operand[] }
  | { readonly kind: 'exists' | 'not-exists'; readonly path: DocumentPath }
  | { readonly kind: 'contains' | 'begins-with'; readonly whole: Operand; readonly part: Operand };
