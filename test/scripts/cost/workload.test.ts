/** Flags of `npm run cost`: what they mean, and what is said of those that mean nothing. */
import { expect, test } from 'vitest';
import { FLAG_DEFAULTS, type Flags, parseWorkload } from '../../../scripts/cost/workload.ts';
import { readSource } from '../../tidy/source-files.ts';

test('without flags it is a hundred messages a second in batches of a hundred', () => {
  expect(parseWorkload({})).toEqual({
    kind: 'ok',
    workload: {
      messagesPerSecond: 100,
      messageBytes: 1_024,
      batch: 100,
      streams: 1,
      readers: 3,
      readEveryMs: 1_000,
      retentionMs: 7 * 86_400_000,
      publishers: 1,
      memoryMb: 1_024,
    },
  });
});

test('the memory of a function is by default that of a stage', () => {
  const [, memory] = /memory_mb: ([0-9]+)/.exec(readSource('infra/stages.yml').text) ?? [];

  expect(FLAG_DEFAULTS.memory).toBe(memory);
});

test.each<[Flags, object]>([
  [{ 'messages-per-second': '0.01' }, { messagesPerSecond: 0.01 }],
  [{ size: '512' }, { messageBytes: 512 }],
  [{ size: '4KiB' }, { messageBytes: 4_096 }],
  [
    { size: '1MiB', batch: '4' },
    { messageBytes: 1_048_576, batch: 4 },
  ],
  [
    { readers: '0', publishers: '0' },
    { readers: 0, publishers: 0 },
  ],
  [
    { 'read-every': '200ms', retention: '30D' },
    { readEveryMs: 200, retentionMs: 2_592_000_000 },
  ],
])('%o is taken', (flags, members) => {
  expect(parseWorkload(flags)).toMatchObject({ kind: 'ok', workload: members });
});

test.each<[Flags, string]>([
  [{ 'messages-per-second': '0' }, '--messages-per-second must be a number above 0'],
  [{ 'messages-per-second': '-1' }, '--messages-per-second must be a number above 0'],
  [{ 'messages-per-second': 'many' }, '--messages-per-second must be a number above 0'],
  [{ 'messages-per-second': '1e3' }, '--messages-per-second must be a number above 0'],
  [{ size: '0' }, '--size must be the bytes of a message from 1 to 1MiB'],
  [{ size: '2MiB' }, '--size must be the bytes of a message from 1 to 1MiB'],
  [{ size: '1 kb' }, '--size must be the bytes of a message from 1 to 1MiB'],
  [{ batch: '0' }, '--batch must be a whole number from 1 to 10000'],
  [{ batch: '10001', size: '1' }, '--batch must be a whole number from 1 to 10000'],
  [{ batch: '1.5' }, '--batch must be a whole number from 1 to 10000'],
  [{ batch: '5000' }, '--batch 5000 of --size 1024 is above 4 MiB'],
  [{ streams: '0' }, '--streams must be a whole number from 1'],
  [{ readers: '-1' }, '--readers must be a whole number from 0'],
  [{ 'read-every': '1ms' }, '--read-every must be at least 10ms'],
  [{ 'read-every': 'always' }, '--read-every: "always" is not a duration'],
  [{ retention: '7' }, '--retention: "7" is not a duration'],
  [{ retention: '0ms' }, '--retention must be at least 1ms'],
  [{ publishers: 'x' }, '--publishers must be a whole number from 0'],
  [{ memory: '64' }, '--memory must be a whole number from 128 to 10240'],
])('%o is refused by its name', (flags, reason) => {
  const parsed = parseWorkload(flags);

  expect(parsed.kind === 'reject' ? parsed.reason : parsed).toContain(reason);
});
