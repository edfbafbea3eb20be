/** Dollars and quantities as people read them. */

export function formatUsd(usd: number): string {
  if (usd >= 1_000) return `$${Math.round(usd).toLocaleString('en')}`;
  return usd >= 1 || usd === 0 ? `$${usd.toFixed(2)}` : `$${usd.toPrecision(2)}`;
}

export function formatQuantity(quantity: number): string {
  return quantity >= 100 ? Math.round(quantity).toLocaleString('en') : quantity.toPrecision(3);
}
