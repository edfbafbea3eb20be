/** Declares, shows, lists and deletes exchanges (SPEC X5, X9, X10). */
import {
  DEFAULT_EXCHANGE,
  type ExchangeName,
  type ExchangeSettings,
  exchangeDifference,
  exchangeId,
} from '../core/routing/exchange.ts';
import type { ExchangeEntry } from '../ports/exchanges.ts';
import type { ListQuery } from '../ports/log-store.ts';
import type { Components } from './components.ts';
import { type ListPage, listPage } from './list-page.ts';
import { exchangeNotFound, LogError } from './log-error.ts';

/** A creation that lost to another one finds that one at the next try, unless it was deleted again. */
const ATTEMPTS_MAX = 8;

/** The exchange without a name is there always, and nobody made it. */
export type ExchangeReference = ExchangeName | typeof DEFAULT_EXCHANGE;

export interface ExchangeDeclaration {
  readonly created: boolean;
  readonly entry: ExchangeEntry;
}

export async function declareExchange(
  components: Components,
  name: ExchangeReference,
  settings: ExchangeSettings,
): Promise<ExchangeDeclaration> {
  const { exchanges } = components;
  const own = refuseDefault(name);
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const existing = await exchanges.load(own);
    if (existing !== undefined) {
      refuseDifference(settings, existing.settings);
      return { created: false, entry: existing };
    }
    const { random, clock } = components;
    const id = exchangeId(random.hex128());
    const entry = { name: own, exchangeId: id, settings, createdMs: clock.nowMs() };
    if (await exchanges.create(entry)) return { created: true, entry };
  }
  throw new LogError('the exchange is being created and deleted by others: try again', {
    code: 'unavailable',
  });
}

export async function loadExchange(
  components: Components,
  name: ExchangeName,
): Promise<ExchangeEntry> {
  const entry = await components.exchanges.load(name);
  if (entry === undefined) throw exchangeNotFound(name);
  return entry;
}

/** False when there is none. */
export async function deleteExchange(
  components: Components,
  name: ExchangeReference,
): Promise<boolean> {
  const { exchanges } = components;
  const entry = await exchanges.load(refuseDefault(name));
  return entry !== undefined && (await exchanges.remove(entry.name, entry.exchangeId));
}

export async function listExchanges(
  components: Components,
  query: ListQuery,
): Promise<ListPage<ExchangeEntry>> {
  const { exchanges } = components;
  return await listPage(query, (wider) => exchanges.list(wider));
}

/** Nobody binds, unbinds, declares or deletes the exchange without a name (SPEC X5). */
export function refuseDefault(name: ExchangeReference): ExchangeName {
  if (name !== DEFAULT_EXCHANGE) return name;
  throw new LogError(
    `${DEFAULT_EXCHANGE} belongs to the service: it routes by the names of streams, and cannot be declared, bound, unbound or deleted`,
    { code: 'forbidden' },
  );
}

function refuseDifference(wanted: ExchangeSettings, existing: ExchangeSettings): void {
  const difference = exchangeDifference(wanted, existing);
  if (difference === undefined) return;
  const { field, expected, actual } = difference;
  throw new LogError(
    `the exchange exists with ${field} ${actual}, not ${expected}: delete it first, or choose another name`,
    { code: 'settings_mismatch', details: { field, expected, actual } },
  );
}
