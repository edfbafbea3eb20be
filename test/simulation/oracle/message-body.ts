/** Bodies that tell what they belong to: which call, which of its appends, which message of that. */
import type { Batch } from '../../../lib/ports/log-store.ts';
import { decodeRecord } from '../../../lib/wire/record.ts';
import { VarintReader } from '../../../lib/wire/varint.ts';
import { batchWith } from '../../support/batches.ts';
import { Violation } from './violation.ts';

export interface MessageId {
  readonly call: number;
  readonly append: number;
  readonly index: number;
}

/** Where messages carry the value by which they may be deduplicated. */
export const VALUE_HEADER = 'v';

/** Each message with its value, if it has one. */
export function batchOfCall(
  { call, append }: Omit<MessageId, 'index'>,
  count: number,
  values: readonly (string | undefined)[] = [],
): Batch {
  const messages = Array.from({ length: count }, (_, index) => {
    const value = values[index];
    const headers = value === undefined ? undefined : { [VALUE_HEADER]: value };
    return [bodyOf({ call, append, index }), headers] as const;
  });
  return batchWith(...messages);
}

function bodyOf({ call, append, index }: MessageId): string {
  return [call, append, index].map((n) => String(n).padStart(4, '0')).join('/');
}

/** Logical bytes of one message. */
export const BODY_BYTES = 14;

export function messageIds({
  records,
  count,
}: Pick<Batch, 'records' | 'count'>): readonly MessageId[] {
  const reader = new VarintReader(records);
  return Array.from({ length: count }, () => parseBody(decodeRecord(reader).body));
}

function parseBody(body: Uint8Array): MessageId {
  const text = Buffer.from(body).toString();
  const [call, append, index] = text.split('/').map(Number);
  if (call === undefined || append === undefined || index === undefined) {
    throw new Violation('WRONG_BYTES', `a body nobody published: ${text}`);
  }
  return { call, append, index };
}

export function idText({ call, append, index }: MessageId): string {
  return `${call}/${append}/${index}`;
}
