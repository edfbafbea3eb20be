import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { READ_BYTES_MAX } from '../../lib/core/log/limits.ts';
import { createUnsentAnswers } from '../../lib/http/unsent-answers.ts';

const SMALL = 64 * 1024;

/** As much of an answer as is looked at. */
function answerHolding(bytes: number): ServerResponse & { writableLength: number } {
  return Object.assign(new EventEmitter(), { writableLength: bytes }) as never;
}

test('LR4: pages become small while much is held, and large again when it was taken', () => {
  let nowMs = 0;
  const unsent = createUnsentAnswers({ heldBytesMax: 1_000, nowMs: () => nowMs });
  const [stuck, gone] = [answerHolding(900), answerHolding(900)];
  expect(unsent.pageBytesMax()).toBe(READ_BYTES_MAX);
  for (const answer of [stuck, gone]) {
    unsent.watch(answer);
    unsent.add(answer.writableLength);
  }
  expect(unsent.pageBytesMax()).toBe(SMALL);

  gone.emit('close');
  nowMs += 49;
  expect(unsent.pageBytesMax()).toBe(SMALL);
  nowMs += 1;
  expect(unsent.pageBytesMax()).toBe(READ_BYTES_MAX);

  unsent.add(101);
  nowMs += 1;
  expect(unsent.pageBytesMax()).toBe(SMALL);
  stuck.writableLength = 0;
  nowMs += 50;
  expect(unsent.pageBytesMax()).toBe(READ_BYTES_MAX);
});
