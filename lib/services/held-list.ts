/** Shows, counts and cancels what is held (SPEC L10). */

import type { StreamName } from '../core/log/ids.ts';
import type { ExchangeName } from '../core/routing/exchange.ts';
import { parseHeldId } from '../core/timer/held-id.ts';
import type { HeldMessage, HeldTarget } from '../core/timer/held-message.ts';
import type { DueMessage } from '../ports/timers.ts';
import type { Components } from './components.ts';
import type { ListPage } from './list-page.ts';
import { LogError } from './log-error.ts';

/** Of whom; all when it is left out. */
export type HeldBy =
  | { readonly kind: 'stream'; readonly name: StreamName }
  | { readonly kind: 'exchange'; readonly name: ExchangeName };

export interface HeldListQuery {
  readonly by?: HeldBy;
  readonly startAfter: string;
  readonly limit: number;
  /** It takes a look at all that is held. */
  readonly count: boolean;
}

export interface HeldPage extends ListPage<HeldMessage> {
  readonly count?: number;
}

export async function listHeld(components: Components, query: HeldListQuery): Promise<HeldPage> {
  const { timers } = components;
  const { by, startAfter, limit } = query;
  const target = by && (await targetOf(components, by));
  // Whoever is gone holds nothing any more.
  const isGone = by !== undefined && target === undefined;
  const of = target && { target };
  const items = isGone ? [] : await timers.list({ ...of, startAfter, limit: limit + 1 });
  const page = { items: items.slice(0, limit), hasMore: items.length > limit };
  if (!query.count) return page;
  return { ...page, count: isGone ? 0 : await timers.count(target) };
}

async function targetOf(
  { log, exchanges }: Components,
  by: HeldBy,
): Promise<HeldTarget | undefined> {
  if (by.kind === 'exchange') {
    const entry = await exchanges.load(by.name);
    return entry && { ...by, id: entry.exchangeId };
  }
  const state = await log.tail(by.name);
  return state && { ...by, id: state.streamId };
}

export async function showHeld({ timers }: Components, text: string): Promise<DueMessage> {
  const id = parseHeldId(text);
  const held = id && (await timers.load(id));
  if (held === undefined) throw heldNotFound(text);
  return held;
}

/** The values and publishing ids that it was accepted with stay known (SPEC L3). */
export async function cancelHeld({ timers }: Components, text: string): Promise<boolean> {
  const id = parseHeldId(text);
  return id !== undefined && (await timers.cancel(id));
}

export function heldNotFound(id: string): LogError {
  return new LogError(
    'there is no such delayed message: it was released or cancelled, or never was',
    { code: 'delayed_not_found', details: { delayed: id.slice(0, 64) } },
  );
}
