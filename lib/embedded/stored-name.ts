/** Names of streams and exchanges as rows hold them: what could not have been stored is damage. */
import { parseStreamName, type StreamName } from '../core/log/ids.ts';
import { type ExchangeName, parseExchangeName } from '../core/routing/exchange.ts';
import { isHoldingPlace } from '../core/timer/held-message.ts';
import { CorruptRow } from './row-values.ts';

export function storedStreamName(text: string): StreamName {
  if (isHoldingPlace(text)) return text;
  const parsed = parseStreamName(text);
  if (parsed.kind === 'reject') throw new CorruptRow(`stream name: ${parsed.reason}`);
  return parsed.name;
}

export function storedExchangeName(text: string): ExchangeName {
  const parsed = parseExchangeName(text);
  if (parsed.kind === 'reject') throw new CorruptRow(`exchange name: ${parsed.reason}`);
  return parsed.name;
}
