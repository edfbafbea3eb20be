import { expect, test } from 'vitest';
import { createTurns } from '../../lib/http/turns.ts';

const loop = () => new Promise((resolve) => setImmediate(resolve));

test('LR3: whoever is alone has a turn at once', async () => {
  const turns = createTurns({ someMax: 32 });
  await turns.take();
  await loop();
  await turns.take();
});

test('LR3: many have theirs in the order they came, fewer at a time when they take long', async () => {
  let nowMs = 0;
  const turns = createTurns({ someMax: 32, nowMs: () => nowMs });
  const done: number[] = [];
  for (let index = 0; index < 200; index++) void turns.take().then(() => done.push(index));
  const perLoop: number[] = [];
  for (let before = 0; done.length < 200; before = done.length) {
    // Slow ones from the fourth loop on.
    if (perLoop.length >= 4) nowMs += 3;
    await loop();
    perLoop.push(done.length - before);
    if (perLoop.length > 300) break;
  }

  expect(done).toEqual(Array.from({ length: 200 }, (_, index) => index));
  expect(Math.max(...perLoop)).toBeLessThanOrEqual(32);
  expect(perLoop.at(-2)).toBe(1);
});
