/**
 * The one table that all metadata lies in, as the protocol uses it: items by key, conditional writes, and
 * transactions. Every read is strongly consistent (PROTOCOL, invariant 6). Names of attributes are never
 * written out: `#x` stands for attribute `x`, unless `names` says what it stands for.
 *
 * What fails throws StoreError; `sideEffects` is 'none' only when nothing was and nothing will be written.
 */

export type Attribute =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: Uint8Array }
  | { readonly BS: readonly Uint8Array[] }
  | { readonly L: readonly Attribute[] }
  | { readonly M: Item };

export interface Item {
  readonly [name: string]: Attribute;
}

/** Partition and sort key, both text. */
export interface ItemKey {
  readonly k: string;
  readonly s: string;
}

export interface Expression {
  /** The write happens only if this holds for the item as it is. */
  readonly condition?: string;
  /** What aliases stand for that are not `#` and the name itself: `{'#q0': 'qL3…'}`. */
  readonly names?: { readonly [alias: string]: string };
  readonly values?: { readonly [placeholder: string]: Attribute };
}

/** Whether a write is sent again when its answer was lost. Once: the caller finds out what became of it. */
export type Repeat = 'once' | 'harmless';

export interface UpdateRequest extends Expression {
  readonly key: ItemKey;
  readonly update: string;
}

export interface PutRequest extends Expression {
  /** With its key as the attributes `k` and `s`. */
  readonly item: Item;
}

export interface DeleteRequest extends Expression {
  readonly key: ItemKey;
}

export type TransactionStep =
  | ({ readonly kind: 'update' } & UpdateRequest)
  | ({ readonly kind: 'put' } & PutRequest)
  | ({ readonly kind: 'delete' } & DeleteRequest)
  | ({ readonly kind: 'check' } & DeleteRequest);

/** `item` of an update that was done is the item after it; of what was refused, the item as it is. */
export type WriteResult =
  | { readonly kind: 'done'; readonly item?: Item }
  | { readonly kind: 'refused'; readonly item?: Item };

export type TransactionResult =
  | { readonly kind: 'done' }
  /** For each step: whether its condition refused, and the item as it is. */
  | {
      readonly kind: 'refused';
      readonly steps: readonly { readonly refused: boolean; readonly item?: Item }[];
    };

export interface QueryRequest {
  readonly k: string;
  /** Sort keys in [from, to], both inclusive; either may be absent. */
  readonly from?: string;
  readonly to?: string;
  /** Greatest sort key first. */
  readonly descending?: boolean;
  readonly limit?: number;
  /** `next` of the page before. */
  readonly page?: string;
}

export interface QueryPage {
  readonly items: readonly Item[];
  /** There may be more: ask again with this as `page`. */
  readonly next?: string;
}

export interface Table {
  get(key: ItemKey): Promise<Item | undefined>;
  /** At most 100 different keys; absent ones are left out, in no order. */
  getMany(keys: readonly ItemKey[]): Promise<readonly Item[]>;
  query(request: QueryRequest): Promise<QueryPage>;
  update(request: UpdateRequest, repeat: Repeat): Promise<WriteResult>;
  put(request: PutRequest, repeat: Repeat): Promise<WriteResult>;
  delete(request: DeleteRequest, repeat: Repeat): Promise<WriteResult>;
  /** All steps or none. May be sent again under the same token, which takes effect once. */
  transact(steps: readonly TransactionStep[], token: string): Promise<TransactionResult>;
  /** Without conditions; absent ones are fine. */
  deleteMany(keys: readonly ItemKey[]): Promise<void>;
}
