/** What an update says: values to set, paths to remove, numbers and members to add, members to delete. */
import type { Attribute } from '../../../lib/aws/table.ts';
import type { DocumentPath } from './document-path.ts';

export type SetOperand =
  | { readonly kind: 'path'; readonly path: DocumentPath }
  | { readonly kind: 'value'; readonly value: Attribute }
  | { readonly kind: 'if-not-exists'; readonly path: DocumentPath; readonly otherwise: SetOperand }
  | { readonly kind: 'list-append'; readonly first: SetOperand; readonly second: SetOperand };

export interface Arithmetic {
  readonly kind: 'sum' | 'difference';
  readonly left: SetOperand;
  readonly right: SetOperand;
}

export type SetValue = SetOperand | Arithmetic;

export interface Assignment {
  readonly path: DocumentPath;
  readonly value: SetValue;
}

export interface MemberChange {
  readonly path: DocumentPath;
  readonly value: Attribute;
}

export interface Update {
  readonly sets: readonly Assignment[];
  readonly removes: readonly DocumentPath[];
  readonly adds: readonly MemberChange[];
  readonly deletes: readonly MemberChange[];
}
