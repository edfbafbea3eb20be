/** What is charged: 1 KB of the larger item, before or after, a write unit; 4 KB a strongly read one. */
import type { Item, Table } from '../../lib/aws/table.ts';
import { itemBytes } from './expressions/item-size.ts';

const WRITE_UNIT_BYTES = 1024;
const READ_UNIT_BYTES = 4096;

export interface OperationCost {
  readonly operation: keyof Table;
  readonly writeUnits: number;
  readonly readUnits: number;
}

/** Of one write; one that is refused is charged for the item as it is. */
export function writeUnits(...versions: readonly (Item | undefined)[]): number {
  return units(Math.max(...versions.map(sizeOf)), WRITE_UNIT_BYTES);
}

/** Of one item that is read by its key, present or not. */
export function readUnits(item: Item | undefined): number {
  return units(sizeOf(item), READ_UNIT_BYTES);
}

/** Of a page, whose items are charged by their sum. */
export function pageUnits(items: readonly Item[]): number {
  return units(total(items.map(sizeOf)), READ_UNIT_BYTES);
}

export function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function sizeOf(item: Item | undefined): number {
  return item === undefined ? 0 : itemBytes(item);
}

function units(bytes: number, unitBytes: number): number {
  return Math.max(1, Math.ceil(bytes / unitBytes));
}
