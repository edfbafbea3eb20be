/** The delay that a message is given by its member or parameter `delay_ms` or `deliver_at`: one of them (SPEC L2). */
import { parseDelayMs, parseDeliverAt } from '../../core/timer/delay.ts';
import type { MessageInput } from '../../services/batch-builder.ts';
import { invalid } from '../../services/log-error.ts';

export interface WrittenDelay {
  readonly delay_ms?: unknown;
  readonly deliver_at?: unknown;
}

/** `field` tells how an error names a member. */
export function messageDelay(
  { delay_ms: delayMs, deliver_at: deliverAt }: WrittenDelay,
  field: (member: string) => string,
): Pick<MessageInput, 'delay'> {
  if (delayMs === undefined && deliverAt === undefined) return {};
  const member = delayMs === undefined ? 'deliver_at' : 'delay_ms';
  if (delayMs !== undefined && deliverAt !== undefined) {
    throw invalid(field(member), `${field('delay_ms')} and ${field('deliver_at')}: give one`);
  }
  const parsed = delayMs === undefined ? parseDeliverAt(deliverAt) : parseDelayMs(delayMs);
  if (parsed.kind === 'ok') return { delay: { asked: parsed.delay, field: field(member) } };
  throw invalid(field(member), `${field(member)}: ${parsed.reason}`);
}
