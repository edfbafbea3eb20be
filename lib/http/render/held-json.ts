/** Held messages as they are listed, and one of them with its message as it will be read (SPEC L10). */
import { dueMsOf } from '../../core/timer/held-id.ts';
import type { HeldMessage } from '../../core/timer/held-message.ts';
import type { DueMessage } from '../../ports/timers.ts';
import { withoutBlindCopiesIn } from '../../services/blind-copies.ts';
import type { HeldPage } from '../../services/held-list.ts';
import { decodeRecord } from '../../wire/record.ts';
import { VarintReader } from '../../wire/varint.ts';
import { ByteWriter } from './byte-writer.ts';
import { writeMessageMembers } from './message-json.ts';

export function heldListMembers({ items, hasMore, count }: HeldPage) {
  return {
    items: items.map(heldMembers),
    has_more: hasMore,
    ...(count !== undefined && { count }),
  };
}

export function heldJson(held: DueMessage): string {
  const record = withoutBlindCopiesIn(decodeRecord(new VarintReader(held.record)));
  const writer = new ByteWriter();
  const form = { base64: false, oneLine: false };
  writeMessageMembers(writer, record, { form, jsonChecked: held.jsonChecked });
  const members = JSON.stringify(heldMembers(held)).slice(0, -1);
  return `${members},"message":{${Buffer.from(writer.finish()).toString('utf8')}}}`;
}

function heldMembers({ id, target: { kind, name }, heldMs, bytes }: HeldMessage) {
  return {
    id,
    due: dueMsOf(id),
    held_at: heldMs,
    ...(kind === 'stream' ? { stream: name } : { exchange: name }),
    bytes,
  };
}
