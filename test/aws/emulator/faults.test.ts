/** Faults before and after an effect, on real services: what was said of the effect is what happened. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Aws } from '../../../lib/aws/create-aws.ts';
import type { Repeat } from '../../../lib/aws/table.ts';
import {
  type AwsFaults,
  createAwsFaults,
  type Fault,
  INTERNAL_ERROR,
  LOST_ANSWER,
  MET_TRANSACTION,
  RESET,
  SILENCE_AFTER,
  SLOW_DOWN,
  THROTTLED,
} from '../../support/aws-faults.ts';
import { type AwsStore, createAwsStore } from '../../support/aws-store.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { seededRandom } from '../../support/seeded-random.ts';

let store: AwsStore;
let faults: AwsFaults;
let aws: Aws;
let made = 0;

beforeAll(async () => {
  store = await createAwsStore();
  faults = createAwsFaults();
  aws = store.connect({ wrapHandler: faults.wrapHandler });
});
afterAll(() => store.drop());

/** A counter of its own: how often its update took effect. */
async function counter() {
  const key = { k: `counter-${made++}`, s: 't' };
  const values = { ':one': { N: '1' } };
  await aws.table.put({ item: { k: { S: key.k }, s: { S: key.s }, n: { N: '0' } } }, 'harmless');
  const step = { key, update: 'SET #n = #n + :one', values };
  return {
    step,
    add: (repeat: Repeat) => aws.table.update(step, repeat).then(({ kind }) => kind, effectsOf),
    count: async () => (await aws.table.get(key))?.['n'],
  };
}

function effectsOf({ kind, sideEffects }: { kind: string; sideEffects: string }): string {
  return `${kind} ${sideEffects}`;
}

test.each<[string, Fault, Repeat, string, string]>([
  ['a lost answer', LOST_ANSWER, 'once', 'unavailable possible', '1'],
  ['a reset', RESET, 'once', 'unavailable possible', '0'],
  ['an error inside', INTERNAL_ERROR, 'once', 'unavailable possible', '0'],
  ['throttling', THROTTLED, 'once', 'done', '1'],
  ['a transaction', MET_TRANSACTION, 'once', 'done', '1'],
  ['a lost answer', LOST_ANSWER, 'harmless', 'done', '2'],
  ['a reset', RESET, 'harmless', 'done', '1'],
])('%s: %o, sent %s, is %s and counts %s', async (...row) => {
  const [, fault, repeat, outcome, effects] = row;
  const { add, count } = await counter();
  faults.next('UpdateItem', fault);

  expect(await add(repeat)).toBe(outcome);
  expect(await count()).toEqual({ N: effects });
});

test('a transaction whose answer was lost takes effect once', async () => {
  const { step, count } = await counter();
  const other = await counter();
  const steps = [step, other.step].map((each) => ({ kind: 'update' as const, ...each }));
  faults.next('TransactWriteItems', LOST_ANSWER, LOST_ANSWER);

  expect(await aws.table.transact(steps, 'lost-twice')).toEqual({ kind: 'done' });
  expect([await count(), await other.count()]).toEqual([{ N: '1' }, { N: '1' }]);
});

test('an object whose put lost its answer is there, once', async () => {
  const content = new Uint8Array([1, 2, 3]);
  faults.next('PutObject', SLOW_DOWN, LOST_ANSWER);
  await aws.objects.put('lost', content);

  expect(await aws.objects.get('lost')).toEqual(content);
  expect(faults.requests('PutObject')).toHaveLength(3);
});

test('an update that took effect but never answered is given up at its limit', async () => {
  const { step, count } = await counter();
  const clock = createManualClock(0);
  const slow = store.connect({ wrapHandler: faults.wrapHandler, clock });
  faults.next('UpdateItem', SILENCE_AFTER);
  const outcome = slow.table.update(step, 'once').catch(effectsOf);
  await expect.poll(count, { timeout: 10_000 }).toEqual({ N: '1' });
  await clock.advance(5_000);

  expect(await outcome).toBe('timeout possible');
});

test('under faults by chance every update does what it says it did', async () => {
  const { add, count } = await counter();
  faults.sometimes({
    random: seededRandom(7),
    rate: 0.4,
    faultsOf: (operation) =>
      operation === 'UpdateItem' ? [RESET, LOST_ANSWER, INTERNAL_ERROR, THROTTLED] : [],
  });
  const outcomes: string[] = [];
  for (let n = 0; n < 100; n++) outcomes.push(await add('once'));
  faults.sometimes(undefined);

  const done = outcomes.filter((outcome) => outcome === 'done').length;
  const possible = outcomes.filter((outcome) => outcome === 'unavailable possible').length;
  const value = await count();
  const total = value !== undefined && 'N' in value ? Number(value.N) : Number.NaN;
  expect(done + possible).toBe(100);
  expect(total).toBeGreaterThan(done);
  expect(total).toBeLessThan(100);
});
