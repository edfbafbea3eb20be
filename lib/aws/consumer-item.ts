/**
 * Items of stored offsets. Of a consumer: o what is stored, m when it was written. Of a stream's consumers, the
 * counter: c how many there are; l the limit as settings last changed it, r the revision of those settings.
 */
import type { StoredOffset } from '../core/consumers/stored-offset.ts';
import { type ConsumerName, offset, type StreamId } from '../core/log/ids.ts';
import type { StoredConsumer } from '../ports/consumers.ts';
import { numberOf, numberValue, textOf, textValue } from './attribute.ts';
import type { Item } from './table.ts';
import { CONSUMER_PREFIX, consumerKey } from './table-key.ts';

export function encodeConsumer(
  id: StreamId,
  name: ConsumerName,
  { next, writtenMs }: StoredOffset,
): Item {
  const { k, s } = consumerKey(id, name);
  return { k: textValue(k), s: textValue(s), o: numberValue(next), m: numberValue(writtenMs) };
}

export function decodeStored(item: Item): StoredOffset {
  return { next: offset(numberOf(item, 'o')), writtenMs: numberOf(item, 'm') };
}

export function decodeConsumer(item: Item): StoredConsumer {
  const name = textOf(item, 's').slice(CONSUMER_PREFIX.length) as ConsumerName;
  return { name, stored: decodeStored(item) };
}

export interface ConsumerCounter {
  readonly count: number;
  /** Of the settings that set the limit last; none did when it is 0. */
  readonly revision: number;
}

export function decodeCounter(item: Item): ConsumerCounter {
  return {
    count: item['c'] === undefined ? 0 : numberOf(item, 'c'),
    revision: item['r'] === undefined ? 0 : numberOf(item, 'r'),
  };
}
