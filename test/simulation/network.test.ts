/** Each thing that can go wrong with a call, made certain: what the caller sees, and what is stored when. */
import { describe, expect, test } from 'vitest';
import type { Table, TransactionStep } from '../../lib/aws/table.ts';
import { StoreError } from '../../lib/ports/store-error.ts';
import { N, S } from './expressions/expression-case.ts';
import { CALM, type Faults } from './faults.ts';
import { createWorld, type Process, type World } from './world.ts';

const KEY = { k: 'P', s: 'a' };
const COUNT = { key: KEY, update: 'ADD #n :1', values: { ':1': N(1) } };
const LOST = { name: 'StoreError', kind: 'timeout', sideEffects: 'possible' };
const NOT_NOW = { name: 'StoreError', kind: 'unavailable', sideEffects: 'none' };

type Seen = { readonly answer: unknown; readonly count: number; readonly countInTheEnd: number };

describe.each<[call: string, count: (table: Table) => Promise<unknown>]>([
  ['a write sent once', (table) => table.update(COUNT, 'once')],
  ['a harmless write', (table) => table.update(COUNT, 'harmless')],
  ['a transaction', (table) => table.transact([{ kind: 'update', ...COUNT }], 'token')],
])('%s', (call, count) => {
  test.each<[fault: keyof Faults, answer: unknown, counts: [heard: number, end: number]]>([
    ['unavailable', NOT_NOW, [0, 0]],
    ['lostRequest', LOST, [0, 0]],
    ['lostAnswer', LOST, [1, 1]],
    ['late', LOST, [0, 1]],
  ])('%s', async (fault, answer, counts) => {
    const seen = await counted({ [fault]: 100 }, count);

    expect(seen.answer).toMatchObject(Object(answer));
    expect([seen.count, seen.countInTheEnd]).toEqual(counts);
  });

  test('without a fault', async () => {
    const seen = await counted({}, count);

    expect(seen).toMatchObject({ answer: { kind: 'done' }, count: 1, countInTheEnd: 1 });
  });

  const times = call === 'a harmless write' ? 2 : 1;
  test.each<[fault: keyof Faults, heard: number]>([
    ['repeated', times],
    ['lateTwin', 1],
  ])('%s', async (fault, heard) => {
    const seen = await counted({ [fault]: 100 }, count);

    expect(seen.answer).toMatchObject({ kind: 'done' });
    expect([seen.count, seen.countInTheEnd]).toEqual([heard, times]);
  });
});

test.each<[fault: keyof Faults, kind: string]>([
  ['unavailable', 'unavailable'],
  ['lostRequest', 'timeout'],
  ['lostAnswer', 'timeout'],
])('a read has no side effects: %s', async (fault, kind) => {
  const seen = await counted({ [fault]: 100 }, (table) => table.get(KEY));

  expect(seen.answer).toMatchObject({ kind, sideEffects: 'none' });
});

test('an object that is put late is there in the end', async () => {
  const world = createWorld({ seed: 1, faults: { ...CALM, late: 100 } });
  const task = world.process('writer').run(async ({ objects }) => {
    const answer = await outcome(objects.put('a', Uint8Array.of(1)));
    return { answer, names: world.objects.names() };
  });
  await world.run({ stepsMax: 100 });

  expect(task.state()).toMatchObject({ kind: 'done', result: { answer: LOST, names: [] } });
  expect(world.objects.names()).toEqual(['a']);
});

test('what is sent is what it was when it was sent', async () => {
  const world = createWorld({ seed: 1, faults: CALM });
  world.process('writer').run(async ({ table, objects }) => {
    const bytes = Uint8Array.of(1);
    const steps: TransactionStep[] = [{ kind: 'put', item: { k: S('P'), s: S('b') } }];
    const sent = [
      table.put({ item: { k: S('P'), s: S('a'), v: { B: bytes } } }, 'once'),
      table.transact(steps, 't'),
      objects.put('o', bytes),
    ];
    bytes[0] = 9;
    steps.pop();
    await Promise.all(sent);
  });
  await world.run({ stepsMax: 100 });

  expect(world.table.items()).toEqual([
    { k: S('P'), s: S('a'), v: { B: Uint8Array.of(1) } },
    { k: S('P'), s: S('b') },
  ]);
  expect(await world.objects.get('o')).toEqual(Uint8Array.of(1));
});

test('a deletion of many may end halfway, and says that it may have begun', async () => {
  const keys = ['a', 'b', 'c', 'd', 'e', 'f'].map((s) => ({ k: 'P', s }));
  const ends = new Set<string>();
  for (let seed = 0; seed < 60; seed++) {
    const world = createWorld({ seed, faults: { ...CALM, unavailable: 40 } });
    for (const { k, s } of keys) await world.table.put({ item: { k: S(k), s: S(s) } }, 'once');
    const task = world.process('deleter').run(({ table }) => outcome(table.deleteMany(keys)));
    await world.run({ stepsMax: 100 });
    const state = task.state();
    const answer = state.kind === 'done' ? state.result : state;
    const sideEffects = answer instanceof StoreError ? answer.sideEffects : 'done';
    const left = world.table.items().length;
    const share = left === 0 ? 'all' : 'some';
    ends.add(`${sideEffects}: ${left === keys.length ? 'none' : share}`);
  }

  expect([...ends].sort()).toEqual(['done: all', 'none: none', 'possible: some']);
});

test('pages end early, and lead on to the rest', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const world = createWorld({ seed: 1, faults: { ...CALM, shortPage: 100 } });
  for (const s of names) await world.table.put({ item: { k: S('P'), s: S(s) } }, 'once');
  for (const name of names) await world.objects.put(name, Uint8Array.of(1));
  const task = world.process('reader').run(async (process) => ({
    items: await itemPages(process),
    names: await namePages(process),
  }));
  await world.run({ stepsMax: 1000 });
  const state = task.state();
  const pages = state.kind === 'done' ? state.result : { items: [], names: [] };

  expect(pages.items.flat()).toEqual(names);
  expect(pages.names.flat()).toEqual(names);
  for (const page of [...pages.items, ...pages.names]) expect(page.length).toBeLessThan(4);
});

/** Lets one process make the call, and looks at what is stored when it hears, and in the end. */
async function counted(
  faults: Partial<Faults>,
  call: (table: Table) => Promise<unknown>,
): Promise<Seen> {
  const world = createWorld({ seed: 1, faults: { ...CALM, ...faults } });
  const task = world.process('writer').run(async ({ table }) => {
    const answer = await outcome(call(table));
    return { answer, count: storedCount(world) };
  });
  expect(await world.run({ stepsMax: 100 })).toEqual({ kind: 'idle' });
  const state = task.state();
  if (state.kind !== 'done') throw new Error(`the writer is ${state.kind}`);
  return { ...state.result, countInTheEnd: storedCount(world) };
}

function storedCount({ table }: World): number {
  const count = table.items()[0]?.['n'];
  return count !== undefined && 'N' in count ? Number(count.N) : 0;
}

function outcome(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error: unknown) => error);
}

async function itemPages({ table }: Process): Promise<string[][]> {
  const pages: string[][] = [];
  let page: string | undefined;
  do {
    const found = await table.query({ k: 'P', ...(page !== undefined && { page }) });
    pages.push(found.items.map(({ s }) => (s !== undefined && 'S' in s ? s.S : '?')));
    page = found.next;
  } while (page !== undefined);
  return pages;
}

async function namePages({ objects }: Process): Promise<string[][]> {
  const pages: string[][] = [];
  let page: string | undefined;
  do {
    const found = await objects.list({ prefix: '', ...(page !== undefined && { page }) });
    pages.push([...found.names]);
    page = found.next;
  } while (page !== undefined);
  return pages;
}
