import { expect, onTestFinished, test } from 'vitest';
import type { LogStore } from '../../lib/ports/log-store.ts';
import { createApi } from '../support/api.ts';
import { createStream, numbered, publish, STREAM } from '../support/publish-steps.ts';
import { read } from '../support/read-steps.ts';

test('O5 O16: a gap that grows while it is read is told as one', async () => {
  /** Trims once more when the start is found already, just before the messages are read. */
  const trimming = (log: LogStore): LogStore => ({
    ...log,
    readChunks: async (range) => {
      if (range.from === 2) await log.trim(range.streamId, range.end);
      return await log.readChunks(range);
    },
  });
  const api = createApi({ wrapLog: trimming });
  onTestFinished(() => api.close());
  await createStream(api);
  await publish(api, numbered(4));
  await api.call(`POST ${STREAM}/trim`, { body: { before: 2 } });
  const page = (await read(api, { from: 1 })).json();

  expect(page['gap']).toEqual({ requested: 1, first_available: 4, missing: 3 });
  expect(page).toMatchObject({ messages: [], next: 4, first: 4, resolved: { offset: 2 } });
});

test('O5 LR1: a gap is told at once, although nothing is left to read', async () => {
  const api = createApi();
  onTestFinished(() => api.close());
  await createStream(api);
  await publish(api, numbered(3));
  await api.call(`POST ${STREAM}/purge`);
  const page = (await read(api, { from: 1, wait: 20 })).json();

  expect(page['gap']).toEqual({ requested: 1, first_available: 3, missing: 2 });
  expect(api.clock.waiting()).toBe(0);
});
