/** When a second GET is sent, which answer counts, and how many there may be. */
import { expect, test } from 'vitest';
import { createHedgedGet, rangeSizeClass, type SizeClass } from '../../lib/aws/hedged-get.ts';
import { createManualClock, settle } from '../support/manual-clock.ts';

interface Sent {
  readonly signal: AbortSignal;
  readonly answer: (value: string) => void;
  readonly fail: (error: Error) => void;
}

function createGets() {
  const clock = createManualClock(0);
  let hedges = 0;
  const hedged = {
    add: (count: number) => {
      hedges += count;
    },
  };
  const gets = createHedgedGet({ clock, hedged });
  const sent: Sent[] = [];
  const outer = new AbortController();
  const get = (sizeClass: SizeClass = 'small') =>
    gets.run(sizeClass, outer.signal, (signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      sent.push({ signal, answer: resolve, fail: reject });
      return promise;
    });
  /** A GET that takes so long and is sent once. */
  const took = async (ms: number, sizeClass?: SizeClass) => {
    const answer = get(sizeClass);
    const request = sent.at(-1);
    await clock.advance(ms);
    request?.answer('');
    await answer;
  };
  return { clock, sent, get, took, outer, hedges: () => hedges };
}

/** How long after its first GET the second one is sent. */
async function delayOf({ clock, sent, get }: ReturnType<typeof createGets>, sizeClass: SizeClass) {
  const before = sent.length;
  const answer = get(sizeClass);
  let delayMs = 0;
  for (; sent.length === before + 1 && delayMs < 1_000; delayMs++) await clock.advance(1);
  sent.at(-1)?.answer('');
  await answer;
  return delayMs;
}

test('a GET that answers in time is sent once, and leaves nothing waiting', async () => {
  const gets = createGets();
  const answer = gets.get();
  await gets.clock.advance(499);
  gets.sent[0]?.answer('first');

  expect(await answer).toBe('first');
  await gets.clock.advance(10_000);
  expect(gets.sent).toHaveLength(1);
  expect(gets.clock.waiting()).toBe(0);
  expect(gets.hedges()).toBe(0);
});

test.each([
  [0, 'first'],
  [1, 'second'],
])('of two GETs answer %i counts, and the other is aborted', async (index, value) => {
  const gets = createGets();
  const answer = gets.get();
  await gets.clock.advance(500);
  expect(gets.sent).toHaveLength(2);
  gets.sent[index]?.answer(value);

  expect(await answer).toBe(value);
  expect(gets.sent[1 - index]?.signal.aborted).toBe(true);
  expect(gets.hedges()).toBe(1);
});

test('one failure waits for the other GET, and the last one is the error', async () => {
  const gets = createGets();
  const [one, two] = [new Error('one'), new Error('two')];
  const answer = gets.get().catch((error) => error);
  await gets.clock.advance(500);
  gets.sent[1]?.fail(two);
  await settle();
  gets.sent[0]?.fail(one);

  expect(await answer).toBe(one);
});

test('a GET that fails early is not sent again', async () => {
  const gets = createGets();
  const answer = gets.get().catch(({ message }) => message);
  gets.sent[0]?.fail(new Error('early'));

  expect(await answer).toBe('early');
  await gets.clock.advance(10_000);
  expect(gets.sent).toHaveLength(1);
});

test('whoever gives up aborts both', async () => {
  const gets = createGets();
  void gets.get();
  await gets.clock.advance(500);
  gets.outer.abort();

  expect(gets.sent.map(({ signal }) => signal.aborted)).toEqual([true, true]);
});

test('the second GET follows what 19 of 20 of about that size took, at least 50 ms', async () => {
  const gets = createGets();
  for (let n = 100; n >= 1; n--) {
    await gets.took(n, 'small');
    await gets.took(2 * n, 'block');
  }

  expect(await delayOf(gets, 'small')).toBe(96);
  expect(await delayOf(gets, 'block')).toBe(192);
  for (let n = 1; n <= 100; n++) await gets.took(5, 'small');
  expect(await delayOf(gets, 'small')).toBe(50);
});

test('before twenty are known the second one follows after half a second', async () => {
  const gets = createGets();
  for (let n = 1; n < 20; n++) await gets.took(1);
  expect(await delayOf(gets, 'small')).toBe(500);
  expect(await delayOf(gets, 'small')).toBeLessThan(500);
});

test('in a slow hour at most one GET in twenty is sent twice', async () => {
  const gets = createGets();
  for (let n = 1; n <= 400; n++) {
    const answer = gets.get();
    const request = gets.sent.at(-1);
    await gets.clock.advance(600);
    request?.answer('');
    await answer;
  }

  expect(gets.hedges()).toBe(1 + 400 / 20);
  expect(gets.sent).toHaveLength(400 + gets.hedges());
});

test.each<[number, SizeClass]>([
  [1, 'small'],
  [65_536, 'small'],
  [65_537, 'block'],
  [2_097_152, 'block'],
  [2_097_153, 'large'],
])('%i bytes are %s', (bytes, sizeClass) => {
  expect(rangeSizeClass(bytes)).toBe(sizeClass);
});
