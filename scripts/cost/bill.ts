/** A bill of one month, whoever it is from. */
import type { PriceSource } from './prices.ts';

export interface BillLine {
  readonly what: string;
  readonly quantity: number;
  readonly usd: number;
}

export interface Bill {
  readonly name: string;
  readonly source: PriceSource;
  readonly lines: readonly BillLine[];
  readonly usd: number;
  /** What the sum leaves out, or rests on. */
  readonly note?: string;
}

export function billOf({ lines, ...rest }: Omit<Bill, 'usd'>): Bill {
  return { ...rest, lines, usd: lines.reduce((sum, { usd }) => sum + usd, 0) };
}

export function line(what: string, quantity: number, price: number): BillLine {
  return { what, quantity, usd: quantity * price };
}
