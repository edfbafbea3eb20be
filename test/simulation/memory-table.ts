/**
 * The table in memory, as the real one behaves: every call takes effect at once, in one piece, when it is
 * made. Counts what each call would be charged. Knows nothing of failures.
 */
import type {
  Item,
  Table,
  TransactionResult,
  TransactionStep,
  WriteResult,
} from '../../lib/aws/table.ts';
import { canonicalText } from './canonical-text.ts';
import { type OperationCost, pageUnits, readUnits, total, writeUnits } from './consumed-units.ts';
import { checkedKey, keyOf, planWrite } from './expressions/plan-write.ts';
import { storedItem } from './expressions/stored-form.ts';
import { checkManyKeys } from './many-keys.ts';
import { createStoredItems, type ItemChange, type StoredItems } from './stored-items.ts';
import { applyTransaction, checkTransaction } from './transaction.ts';

export interface MemoryTable extends Table {
  /** Of every call so far, in order. */
  readonly costs: readonly OperationCost[];
  /** Everything that is stored, by partition and sort key. */
  items(): readonly Item[];
  /** Tells of every change from now on, when it takes effect. */
  watch(tell: (change: ItemChange) => void): void;
}

export function createMemoryTable(): MemoryTable {
  const stored = createStoredItems();
  const costs: OperationCost[] = [];
  const done = new Map<string, string>();
  const charge = (operation: keyof Table, units: { write?: number; read?: number }) => {
    costs.push({ operation, writeUnits: units.write ?? 0, readUnits: units.read ?? 0 });
  };
  const write = async (step: TransactionStep & { kind: WriteName }) => {
    const { result, units } = applyWrite(stored, step);
    charge(step.kind, { write: units });
    return result;
  };

  return {
    costs,
    watch: stored.watch,
    items: () => stored.all().map(storedItem),

    async get(key) {
      const item = stored.get(checkedKey(key));
      charge('get', { read: readUnits(item) });
      return item && storedItem(item);
    },

    async getMany(keys) {
      checkManyKeys(keys);
      const found = keys.map((key) => stored.get(checkedKey(key)));
      charge('getMany', { read: total(found.map(readUnits)) });
      return found.filter((item) => item !== undefined).map(storedItem);
    },

    async query(request) {
      const page = stored.query(request);
      charge('query', { read: pageUnits(page.items) });
      return { ...page, items: page.items.map(storedItem) };
    },

    update: (request) => write({ kind: 'update', ...request }),
    put: (request) => write({ kind: 'put', ...request }),
    delete: (request) => write({ kind: 'delete', ...request }),

    async transact(steps, token): Promise<TransactionResult> {
      checkTransaction(steps, token);
      const before = steps.map((step) => stored.get(keyOf(step)));
      const content = canonicalText(steps);
      const earlier = done.get(token);
      if (earlier !== undefined) {
        checkSame(earlier, content);
        charge('transact', { read: 2 * total(before.map(readUnits)) });
        return { kind: 'done' };
      }
      const { result, units } = applyTransaction(stored, steps);
      if (result.kind === 'done') done.set(token, content);
      charge('transact', { write: units });
      return result;
    },

    async deleteMany(keys) {
      const before = keys.map((key) => stored.get(checkedKey(key)));
      for (const key of keys) stored.set(key, undefined);
      charge('deleteMany', { write: total(before.map((item) => writeUnits(item))) });
    },
  };
}

type WriteName = 'update' | 'put' | 'delete';

function applyWrite(
  stored: StoredItems,
  step: TransactionStep & { kind: WriteName },
): { readonly result: WriteResult; readonly units: number } {
  const key = keyOf(step);
  const before = stored.get(key);
  const plan = planWrite(step, before);
  if (plan.kind === 'refused') {
    return { result: withItem('refused', before), units: writeUnits(before) };
  }
  stored.set(key, plan.after);
  const shown = step.kind === 'update' ? plan.after : undefined;
  return { result: withItem('done', shown), units: writeUnits(before, plan.after) };
}

function withItem(kind: 'done' | 'refused', item: Item | undefined): WriteResult {
  return item === undefined ? { kind } : { kind, item: storedItem(item) };
}

function checkSame(earlier: string, content: string): void {
  if (earlier === content) return;
  throw new IdempotentParameterMismatchException(
    'A transaction with other steps was done under the same token',
  );
}

class IdempotentParameterMismatchException extends Error {
  override readonly name = 'IdempotentParameterMismatchException';
}
