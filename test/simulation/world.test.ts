/** The world as a whole: the seed decides everything, processes die and stand still, errors end the run. */
import { describe, expect, test } from 'vitest';
import { StoreError } from '../../lib/ports/store-error.ts';
import { N, S } from './expressions/expression-case.ts';
import { CALM, type Faults, STORM } from './faults.ts';
import { createWorld, type Process, type World } from './world.ts';

const KEY = { k: 'P', s: 'a' };
const ITEM = { k: S('P'), s: S('a') };
const never = new AbortController().signal;

describe('the seed', () => {
  test('decides everything: run twice, the trace is the same to the byte', async () => {
    for (const seed of [1, 2, 3]) {
      const [first, second] = [await crowd(seed, STORM), await crowd(seed, STORM)];

      expect(first.world.trace.length).toBeGreaterThan(300);
      expect(second.world.trace.join('\n')).toBe(first.world.trace.join('\n'));
      expect(second.world.table.items()).toEqual(first.world.table.items());
    }
  });

  test('makes worlds that differ', async () => {
    const traces = await Promise.all([1, 2].map((seed) => crowd(seed, STORM)));

    expect(new Set(traces.map(({ world }) => world.trace.join('\n'))).size).toBe(2);
  });

  test('leaves a process its randomness, whatever else goes on', async () => {
    const [calm, storm] = [CALM, STORM].map((faults) => createWorld({ seed: 5, faults }));
    const draw = (process: Process | undefined) => process?.random.hex128();
    const drawn = draw(calm?.process('a'));

    expect(drawn).toMatch(/^[0-9a-f]{32}$/);
    expect(draw(storm?.process('a'))).toBe(drawn);
    expect(draw(storm?.process('b'))).not.toBe(drawn);
  });
});

test('one line a step', async () => {
  const world = createWorld({ seed: 7, faults: CALM });
  world.process('writer').run(({ table }) => table.put({ item: ITEM }, 'once'));
  await world.run({ stepsMax: 10 });

  expect(world.trace.map((line) => line.replace(/^(\d+) \d+/, '$1'))).toEqual([
    '0 writer begins > put P/a',
    expect.stringMatching(/^1 writer lands put P\/a = [0-9a-f]{8}$/),
    '2 writer hears of put P/a done',
  ]);
});

test('counts are right whatever happens: what was done is between what was heard and what was tried', async () => {
  for (let seed = 0; seed < 20; seed++) {
    const { world, known, unknown } = await crowd(seed, { ...STORM, late: 10, lostAnswer: 10 });
    const count = world.table.items()[0]?.['n'];
    const stored = count !== undefined && 'N' in count ? Number(count.N) : 0;

    expect(stored).toBeGreaterThanOrEqual(known);
    expect(stored).toBeLessThanOrEqual(known + unknown);
  }
});

test('every kind of misfortune happens in a storm, and none in the calm', async () => {
  const faults = { ...STORM, crash: 0.5 };
  const storms = await Promise.all([...Array(12).keys()].map((seed) => crowd(seed, faults)));
  const text = storms.flatMap(({ world }) => world.trace).join('\n');
  const calm = (await crowd(1, CALM)).world.trace.join('\n');
  const kinds = ['unavailable', 'lostRequest', 'lostAnswer', 'late', 'repeated', 'lateTwin'];
  const marks = [...kinds.map((kind) => `(${kind})`), 'crashes', 'stands still', 'clock off'];

  for (const mark of marks) {
    expect(text).toContain(mark);
    expect(calm).not.toContain(mark);
  }
});

test('a process that crashes is never heard of again, but what it sent arrives', async () => {
  const world = createWorld({ seed: 1, faults: CALM });
  const process = world.process('writer');
  const rung: string[] = [];
  const task = process.run(async ({ table, clock }) => {
    clock.alarm(1, () => rung.push('alarm'));
    await table.put({ item: ITEM }, 'once');
    rung.push('answer');
  });
  await world.run({ stepsMax: 100, until: () => world.trace.length === 1 });
  process.crash();
  const later = process.run(async () => rung.push('work'));
  await world.run({ stepsMax: 100 });

  expect(rung).toEqual([]);
  expect([task.state(), later.state()]).toEqual([{ kind: 'running' }, { kind: 'running' }]);
  expect(world.table.items()).toEqual([ITEM]);
});

test('a process that stands still goes on in its time, and what it sent does not wait for it', async () => {
  const world = createWorld({ seed: 1, faults: CALM });
  const process = world.process('slow');
  const heard: string[] = [];
  process.run(async ({ table }) => {
    await table.put({ item: ITEM }, 'once');
    heard.push('slow');
  });
  world.process('quick').run(async ({ clock }) => {
    await clock.wait(50_000, never);
    heard.push(`quick, with ${world.table.items().length} item`);
  });
  await world.run({ stepsMax: 100, until: () => world.trace.some((line) => line.includes('>')) });
  process.stall(100_000);
  await world.run({ stepsMax: 100 });

  expect(heard).toEqual(['quick, with 1 item', 'slow']);
});

test('a run ends when its steps are spent, when it is told to, and when a check fails', async () => {
  const world = createWorld({ seed: 1, faults: CALM });
  world.process('ticker').run(async ({ clock }) => {
    for (;;) await clock.wait(10, never);
  });

  expect(await world.run({ stepsMax: 10 })).toEqual({ kind: 'cut' });
  expect(world.trace).toHaveLength(10);
  const isLong = () => world.trace.length >= 15;
  expect(await world.run({ stepsMax: 100, until: isLong })).toEqual({ kind: 'reached' });
  expect(world.trace).toHaveLength(15);
  const check = () => expect(world.trace.length).toBeLessThan(18);
  await expect(world.run({ stepsMax: 100, check })).rejects.toThrow('to be less than 18');
});

test.each<[name: string, work: (process: Process) => Promise<unknown>, says: string]>([
  ['work that fails', () => Promise.reject(new Error('not expected')), 'not expected'],
  [
    'a request that the table does not understand',
    ({ table }) => table.update({ key: KEY, update: 'SET #n = n' }, 'once').catch(() => 'hidden'),
    'does not exist in the item',
  ],
  [
    'other bytes under a taken name',
    async ({ objects }) => {
      await objects.put('o', Uint8Array.of(1));
      await objects.put('o', Uint8Array.of(2)).catch(() => 'hidden');
    },
    'is there already',
  ],
  [
    'an alarm that throws',
    async ({ clock }) => {
      clock.alarm(1, () => {
        throw new Error('in an alarm');
      });
    },
    'in an alarm',
  ],
])('a run ends with the error of %s', async (_name, work, says) => {
  const world = createWorld({ seed: 1, faults: CALM });
  world.process('a').run(work);

  const failure = await world.run({ stepsMax: 100 }).catch(String);

  expect(failure).toContain(says);
  expect(failure).toContain('with seed 1');
  expect(failure).toContain(world.trace.at(-1));
});

test('names of processes are not used again', () => {
  const world = createWorld({ seed: 1 });
  world.process('a');

  expect(() => world.process('a')).toThrow('there is a process a already');
});

interface Counted {
  readonly world: World;
  /** Raises of the counter that were heard of, and those of which nothing is known. */
  readonly known: number;
  readonly unknown: number;
}

/** Processes that raise one counter, each time under the value that they read. */
async function crowd(seed: number, faults: Faults): Promise<Counted> {
  const world = createWorld({ seed, faults });
  await world.table.put({ item: { ...ITEM, n: N(0) } }, 'once');
  const tally = { known: 0, unknown: 0 };
  for (const name of ['a', 'b', 'c', 'd']) {
    world.process(name).run((process) => raiseOften(process, tally));
  }
  expect((await world.run({ stepsMax: 20_000 })).kind).toBe('idle');
  return { world, ...tally };
}

async function raiseOften(
  process: Process,
  tally: { known: number; unknown: number },
): Promise<void> {
  const { table, objects, clock, random } = process;
  for (let round = 0; round < 20; round++) {
    try {
      const n = (await table.get(KEY))?.['n'];
      const from = n !== undefined && 'N' in n ? Number(n.N) : 0;
      await objects.put(random.hex128(), Uint8Array.of(round));
      const { kind } = await raise(process, from);
      if (kind === 'done') tally.known++;
      await table.deleteMany([{ k: 'Q', s: String(clock.nowMs()) }]);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      await clock.wait(10, never);
    }
  }

  async function raise({ table: mine }: Process, from: number) {
    const values = { ':from': N(from), ':to': N(from + 1) };
    const request = { key: KEY, update: 'SET #n = :to', condition: '#n = :from', values };
    try {
      return await mine.update(request, 'once');
    } catch (error) {
      if (error instanceof StoreError && error.sideEffects === 'possible') tally.unknown++;
      throw error;
    }
  }
}
