/** The functions that run by the clock: one log line a run, which alarms are set on. */
import { beforeAll, expect, test, vi } from 'vitest';
import { builtFunctions } from '../support/built-functions.ts';

type Handler = (event: object, context: object) => Promise<unknown>;

beforeAll(() => {
  Object.assign(process.env, { VARVE_BUCKET: 'b', VARVE_TABLE: 't', AWS_REGION: 'local' });
});

test.each([
  ['maintain', 'maintained', { done: 3, failed: 1, overdue_ms: 250 }],
  ['deliver', 'delivered', { done: 0, failed: 0, overdue_ms: 0 }],
] as const)('%s says what it did', async (name, event, report) => {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const handler = (await builtFunctions()).load(name)['handler'] as Handler;
  await handler({}, { getRemainingTimeInMillis: () => 55_000 });
  const lines = written.mock.calls.map(([line]) => JSON.parse(String(line)));
  written.mockRestore();

  expect(lines).toEqual([{ level: 'info', event, ...report, took_ms: expect.any(Number) }]);
});
