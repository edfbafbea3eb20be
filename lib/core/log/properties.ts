/** The properties of a message: which there are, and what each may hold (api, Properties). */
import { quote } from '../quote.ts';

const TEXTS = new Set([
  'message_id',
  'correlation_id',
  'reply_to',
  'type',
  'app_id',
  'user_id',
  'content_encoding',
  'expiration',
]);
const INTEGERS = new Set(['priority', 'timestamp', 'ingested_at']);

/** What is wrong with these properties, naming the member; undefined when nothing is. */
export function propertiesFault(
  properties: Readonly<Record<string, unknown>>,
): { readonly field: string; readonly reason: string } | undefined {
  for (const [name, value] of Object.entries(properties)) {
    const reason = propertyFault(name, value);
    if (reason !== undefined) return { field: `properties.${name.slice(0, 64)}`, reason };
  }
  return undefined;
}

function propertyFault(name: string, value: unknown): string | undefined {
  if (TEXTS.has(name)) {
    if (typeof value !== 'string' || !value.isWellFormed()) return `${name} must be a string`;
    if (name !== 'expiration' || /^[0-9]+$/.test(value)) return undefined;
    return 'expiration must be digits: milliseconds as a string';
  }
  if (INTEGERS.has(name)) {
    return Number.isSafeInteger(value) && Number(value) >= 0
      ? undefined
      : `${name} must be an integer from 0 to 2^53 - 1`;
  }
  return `unknown property ${quote(name)}: there are ${[...TEXTS, ...INTEGERS].join(', ')}`;
}
