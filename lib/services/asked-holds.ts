/**
 * What a publish to an exchange asks to have held: by a member of a message, or by its header `x-delay`, which
 * says nothing unless an exchange on the way holds (SPEC L2, L3). What is asked twice or cannot be read is refused.
 */
import type { HoldVerdict } from '../core/routing/compiled-exchange.ts';
import { NOT_HELD } from '../core/routing/compiled-exchange.ts';
import type { RoutedHeaders } from '../core/routing/headers-matcher.ts';
import { DELAY_HEADER, parseDelayHeader, planDue } from '../core/timer/delay.ts';
import { type AskedMessage, refuseTooMany } from './held-messages.ts';
import { invalid } from './log-error.ts';

export class AskedHolds {
  readonly #byMember: ReadonlyMap<number, AskedMessage>;
  readonly #nowMs: number;
  readonly #dueMs = new Map<number, number>();

  constructor(delayed: readonly AskedMessage[], nowMs: number) {
    this.#byMember = new Map(delayed.map((asked) => [asked.index, asked]));
    this.#nowMs = nowMs;
  }

  /** When each message is due that an exchange was found to hold. */
  get dueMs(): ReadonlyMap<number, number> {
    return this.#dueMs;
  }

  /** Members are for the exchange that is published to, so that is to be one that holds. */
  refuseMembers(exchange: string): void {
    const [first] = this.#byMember.values();
    if (first === undefined) return;
    const { field } = first;
    throw invalid(
      field,
      `${field}: exchange ${JSON.stringify(exchange)} is not delayed: leave it out, or declare one with delayed: true`,
    );
  }

  verdict(index: number, headers: RoutedHeaders): HoldVerdict {
    const asked = this.#byMember.get(index);
    const hasHeader = headers.has(DELAY_HEADER);
    if (asked === undefined && !hasHeader) return NOT_HELD;
    const field = `headers.${DELAY_HEADER}`;
    if (asked !== undefined && hasHeader) {
      return { kind: 'reject', field, reason: `${field}: ${asked.field} says it too: give one` };
    }
    const parsed =
      asked === undefined
        ? parseDelayHeader(headers.valueOf(DELAY_HEADER))
        : { kind: 'ok' as const, delay: asked.delay };
    const at = asked === undefined ? field : (asked.field.split('.').at(-1) ?? field);
    if (parsed.kind === 'reject') return rejected(at, parsed.reason);
    const planned = planDue(parsed.delay, this.#nowMs);
    if (planned.kind === 'reject') return rejected(at, planned.reason);
    if (planned.dueMs === undefined) return NOT_HELD;
    this.#dueMs.set(index, planned.dueMs);
    refuseTooMany(this.#dueMs.size);
    return { kind: 'held' };
  }
}

function rejected(field: string, reason: string): HoldVerdict {
  return { kind: 'reject', field, reason: `${field}: ${reason}` };
}
