/** Publishers through an exchange that remembers values: each goes to all streams, and again to those that lack it. */

import type { RoutingRecord } from '../../../lib/core/routing/routing-record.ts';
import type { RememberingExchange } from '../../../lib/ports/exchanges.ts';
import { exchangeIdOf } from '../../support/exchange-steps.ts';
import { publish } from '../oracle/check-outcomes.ts';
import type { Service } from './service.ts';
import type { Stage } from './stage.ts';

const VALUES = 'ABCD';
const REPEATS_END = 3;
const ROUNDS_MAX = 4;
const TTL_MS = 3_000;

const KEEPING = exchange(1, null);
const FORGETTING = exchange(2, TTL_MS);

function exchange(number: number, cache_ttl: number | null): RememberingExchange {
  const deduplication = { header: 'id', cache_size: 1_000, cache_ttl };
  return { exchangeId: exchangeIdOf(number), deduplication };
}

export async function writeRemembered(stage: Stage): Promise<void> {
  const { chance } = stage;
  const wanted = {
    exchange: chance.percent(50) ? KEEPING : FORGETTING,
    value: VALUES[chance.below(VALUES.length)] ?? 'A',
  };
  for (let repeats = 1 + chance.below(REPEATS_END); repeats > 0; repeats--) {
    await stage.call((service) => send(stage, service, { ...wanted, rid: chance.hex128() }));
    await stage.pause(chance.below(2_000));
  }
}

interface Wanted {
  readonly exchange: RememberingExchange;
  readonly value: string;
  readonly rid: string;
}

/** As the service does it, to one destination after the other. */
async function send(stage: Stage, service: Service, wanted: Wanted): Promise<void> {
  const { exchanges, log, process } = service;
  const { exchange: remembering, value, rid } = wanted;
  const states = await Promise.all(stage.streams.map((name) => log.tail(name)));
  const destinations = stage.streams.flatMap((name, at) => {
    const id = states[at]?.streamId;
    return id === undefined ? [] : [{ name, id }];
  });
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const tries = [{ value, rid, destinations }];
    const records = await exchanges.remember(remembering, tries, process.clock.nowMs());
    const record = records?.[0];
    if (record === undefined || (await complete(stage, service, { ...wanted, record }))) return;
  }
}

/** False when the record is another one by now. */
async function complete(
  stage: Stage,
  { log }: Service,
  { exchange: { exchangeId }, value, record }: Wanted & { readonly record: RoutingRecord },
): Promise<boolean> {
  for (const { name: stream, id } of record.destinations) {
    if (record.taken.has(id)) continue;
    const records = [{ exchangeId, value, rid: record.rid, index: 0 }];
    const request = { stream, ifStreamId: id, count: 1, records, timeMs: stage.nowMs() };
    const [outcome] = await publish(stage.oracle, log, [request]);
    if (outcome?.kind === 'reject' && outcome.code === 'record_changed') return false;
  }
  return true;
}
