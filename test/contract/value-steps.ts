/** Appends of messages that carry values, and the setting that looks at them. */
import type { Deduplication } from '../../lib/core/log/deduplication.ts';
import type { Append } from '../../lib/ports/log-store.ts';
import { batchWith } from '../support/batches.ts';
import { append } from './contract-steps.ts';

type Carried = string | number | boolean | null | undefined | object;

/** One message for each value, with the value as its body; undefined carries none. */
export function carrying(
  values: readonly Carried[],
  rest: Omit<Partial<Append>, 'batch'> = {},
): Append {
  const messages = values.map((value, index) => {
    const headers = value === undefined ? undefined : { 'x-deduplication-header': value };
    return [typeof value === 'string' ? value : `m${index}`, headers] as const;
  });
  return append(batchWith(...messages), rest);
}

export function remembering(rest: Partial<Deduplication> = {}) {
  const header = 'x-deduplication-header';
  return { deduplication: { header, cache_size: 128, cache_ttl: null, ...rest } };
}
