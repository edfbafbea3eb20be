/** Messages that are held until their time, and where they go then: to one incarnation (SPEC L12). */
import { type StreamId, type StreamName, streamId } from '../log/ids.ts';
import type { ExchangeId, ExchangeName } from '../routing/exchange.ts';
import type { HeldId } from './held-id.ts';

export type HeldTarget =
  | { readonly kind: 'stream'; readonly name: StreamName; readonly id: StreamId }
  /** Routed by its bindings of that moment (SPEC L7). */
  | { readonly kind: 'exchange'; readonly name: ExchangeName; readonly id: ExchangeId };

export interface HeldMessage {
  readonly id: HeldId;
  readonly target: HeldTarget;
  /** When it came in. */
  readonly heldMs: number;
  /** Logical bytes. */
  readonly bytes: number;
}

/** At most so many in one request: what one transaction can write beside the stream (SPEC L13). */
export const HELD_PER_REQUEST_MAX = 99;

export interface HoldingPlace {
  readonly name: StreamName;
  readonly id: StreamId;
}

/**
 * What an exchange holds is accepted by a stream of its own, which nobody reads: it keeps the exchange's
 * publishers. Names that begin so belong to the service (SPEC P9), and this one to one incarnation.
 */
export function holdingPlace(id: ExchangeId): HoldingPlace {
  return { name: `${PLACE_PREFIX}${id}` as StreamName, id: streamId(id) };
}

export function isHoldingPlace(name: string): name is StreamName {
  return name.startsWith(PLACE_PREFIX);
}

export const PLACE_PREFIX = 'amq.delayed.';
