/**
 * Routing while others bind: in every order in which the reads of a publish and the changes of others can come, what
 * was bound from its beginning to its end is honoured, and what was bound at no moment of it is not (PROTOCOL R13).
 */
import { describe, expect, test } from 'vitest';
import { createAwsStore } from '../../lib/aws/aws-store.ts';
import type { Table } from '../../lib/aws/table.ts';
import { createPrometheusMeter } from '../../lib/http/prometheus-meter.ts';
import type { ExchangeEntry, Exchanges } from '../../lib/ports/exchanges.ts';
import { createSystemRandom } from '../../lib/process/system-random.ts';
import { createMemoryObjects } from '../simulation/memory-objects.ts';
import { createMemoryTable } from '../simulation/memory-table.ts';
import { idOf, streamName } from '../support/batches.ts';
import {
  binding,
  exchangeIdOf,
  exchangeName,
  routed,
  settingsOf,
  toExchange,
  toStream,
} from '../support/exchange-steps.ts';
import { createManualClock } from '../support/manual-clock.ts';

type Change = (exchanges: Exchanges) => Promise<unknown>;

const [Q, R] = [toStream('Q', idOf(1)), toStream('R', idOf(2))];

function entryOf(name: string, number: number): ExchangeEntry {
  const [id, settings] = [exchangeIdOf(number), settingsOf('fanout')];
  return { name: exchangeName(name), exchangeId: id, settings, createdMs: 1 };
}

const [E0, E1, E2] = [entryOf('e0', 10), entryOf('e1', 11), entryOf('e2', 12)];
const E1_AGAIN = entryOf('e1', 21);
const to = ({ name, exchangeId }: ExchangeEntry) => toExchange(name, exchangeId);
const bind =
  (from: ExchangeEntry, destination: Parameters<typeof binding>[0]): Change =>
  (exchanges) =>
    exchanges.bind(from, binding(destination));
const unbind =
  (from: ExchangeEntry, destination: Parameters<typeof binding>[0]): Change =>
  (exchanges) =>
    exchanges.unbind(from, binding(destination).name);

/** A table that lets something happen before the read with this number. */
function interruptible(table: Table) {
  let [reads, at] = [0, -1];
  let happen: () => Promise<unknown> = async () => {};
  const before = async () => {
    if (reads++ === at) await happen();
  };
  const own: Table = {
    ...table,
    getMany: async (keys) => {
      await before();
      return await table.getMany(keys);
    },
    query: async (request) => {
      await before();
      return await table.query(request);
    },
  };
  return {
    table: own,
    interrupt(read: number, run: () => Promise<unknown>) {
      [reads, at, happen] = [0, read, run];
    },
    reads: () => reads,
  };
}

async function openTwo() {
  const [shared, objects, clock] = [
    createMemoryTable(),
    createMemoryObjects(),
    createManualClock(0),
  ];
  const parts = { objects, clock, random: createSystemRandom(), telemetry: { error() {} } };
  const open = (table: Table) =>
    createAwsStore({ ...parts, table, meter: createPrometheusMeter() });
  const stopped = interruptible(shared);
  const [publisher, others] = [open(stopped.table), open(shared)];
  for (const [name, id] of [['Q', 1] as const, ['R', 2] as const]) {
    const entry = { name: streamName(name), streamId: idOf(id), settings: {}, createdMs: 1 };
    await others.catalog.create(entry);
  }
  for (const entry of [E0, E1, E2]) await others.exchanges.create(entry);
  const route = async (): Promise<readonly string[]> => {
    const graph = await publisher.exchanges.routes(E0.name);
    const found = graph === undefined ? [] : routed(graph);
    return typeof found === 'string' ? [found] : found;
  };
  return { stopped, route, publisher: publisher.exchanges, others: others.exchanges };
}

interface Scene {
  readonly name: string;
  /** Before anything is known. */
  readonly first?: readonly Change[];
  /** What the publisher has seen before, from which exchange. */
  readonly known: readonly ExchangeEntry[];
  readonly changes: readonly Change[];
}

const SCENES: readonly Scene[] = [
  {
    name: 'a chain bound from its far end, of which all was known empty',
    known: [E0, E1],
    changes: [bind(E1, Q), bind(E0, to(E1)), bind(E0, to(E2)), unbind(E0, to(E2))],
  },
  {
    name: 'a chain bound while nothing was known',
    known: [],
    changes: [bind(E0, Q), bind(E1, R), bind(E0, to(E1))],
  },
  {
    name: 'a loop that is opened',
    first: [bind(E1, to(E0)), bind(E0, to(E1)), bind(E1, Q)],
    known: [E0],
    changes: [unbind(E0, to(E1)), bind(E0, R), bind(E0, to(E1))],
  },
  {
    name: 'an exchange deleted and created again, with as many changes as before',
    first: [bind(E1, Q), bind(E0, to(E1))],
    known: [E0],
    changes: [
      (exchanges) => exchanges.remove(E1.name, E1.exchangeId),
      (exchanges) => exchanges.create(E1_AGAIN),
      bind(E1_AGAIN, R),
      bind(E0, to(E1_AGAIN)),
    ],
  },
];

/** What a publish that nothing comes between would reach after so many of the changes. */
async function reachedAfter({ first = [], changes }: Scene, count: number) {
  const { others, route } = await openTwo();
  for (const change of [...first, ...changes.slice(0, count)]) await change(others);
  return await route();
}

/** So many changes before the publish begins, up to so many before this read of it. */
interface Interruption {
  readonly begun: number;
  readonly ended: number;
  readonly read: number;
}

const READS_MAX = 8;

function interruptions(changes: number): readonly Interruption[] {
  const numbers = Array.from({ length: changes + 1 }, (_, at) => at);
  return numbers.flatMap((begun) =>
    numbers
      .slice(begun)
      .flatMap((ended) => Array.from({ length: READS_MAX }, (_, read) => ({ begun, ended, read }))),
  );
}

/** Undefined when the publish ended before that read. */
async function routeDuring({ first = [], known, changes }: Scene, interruption: Interruption) {
  const { begun, ended, read } = interruption;
  const { stopped, route, publisher, others } = await openTwo();
  for (const change of first) await change(others);
  for (const one of known) await publisher.routes(one.name);
  for (const change of changes.slice(0, begun)) await change(others);
  stopped.interrupt(read, async () => {
    for (const change of changes.slice(begun, ended)) await change(others);
  });
  const found = await route();
  return stopped.reads() <= read && ended > begun ? undefined : found;
}

/** All that was reached at every moment, and nothing that was at none. */
function expectBetween(found: readonly string[], during: readonly (readonly string[])[]): void {
  const always = (during[0] ?? []).filter((one) => during.every((names) => names.includes(one)));
  const never = found.filter((one) => !during.some((names) => names.includes(one)));
  expect(found).toEqual(expect.arrayContaining(always));
  expect(never).toEqual([]);
}

describe.each(SCENES)('$name', (scene) => {
  const { first = [], known, changes } = scene;
  const moments = Array.from({ length: changes.length + 1 }, (_, at) => at);

  test('X7: is routed by as it was between the beginning and the end', async () => {
    const reached: (readonly string[])[] = [];
    for (const count of moments) reached.push(await reachedAfter(scene, count));
    let looked = 0;
    for (const interruption of interruptions(changes.length)) {
      const found = await routeDuring(scene, interruption);
      if (found === undefined) continue;
      expectBetween(found, reached.slice(interruption.begun, interruption.ended + 1));
      looked++;
    }
    expect(looked).toBeGreaterThan(20);
  });

  test('X7: and the next publish is routed by all of it', async () => {
    const last = await reachedAfter(scene, changes.length);
    for (let read = 0; read < 8; read++) {
      const { stopped, route, publisher, others } = await openTwo();
      for (const change of first) await change(others);
      for (const one of known) await publisher.routes(one.name);
      let isDone = false;
      stopped.interrupt(read, async () => {
        isDone = true;
        for (const change of changes) await change(others);
      });
      await route();
      if (isDone) expect(await route()).toEqual(last);
    }
  });
});
