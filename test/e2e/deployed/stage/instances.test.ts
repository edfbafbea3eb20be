/** What one instance acknowledged, every other one reads: two functions, each in a process of its own. */
import { expect, test } from 'vitest';
import type { Api } from '../../../support/api.ts';
import {
  createStream,
  numbered,
  publish,
  readTexts,
  STREAM,
} from '../../../support/publish-steps.ts';
import { range } from '../../../support/read-steps.ts';
import { functionUrlApi, httpApi } from '../stage-api.ts';

/** At the same time too, which is less than the emulator has instances for. */
const PUBLISHES = 8;

test('P8: reading after an acknowledgement sees the messages, on the other front too', async () => {
  const fronts = [functionUrlApi(), httpApi()] as const;
  await createStream(fronts[0]);
  for (const n of range(0, PUBLISHES)) {
    const [writer, reader] = n % 2 === 0 ? fronts : fronts.toReversed();
    await publish(writer as Api, numbered(1, n));

    expect(await readTexts(reader as Api)).toEqual(range(0, n + 1).map(String));
  }
});

test('P8: many instances at once leave no hole, and each reads its own', async () => {
  const api = functionUrlApi();
  await createStream(api);
  const publishes = range(0, PUBLISHES).map(async (n) => {
    const { start, end } = (await publish(api, numbered(2, 2 * n))).json();
    const { messages } = (await api.call(`GET ${STREAM}/messages?from=${start}&limit=2`)).json();
    expect(messages).toMatchObject([{ text: `${2 * n}` }, { text: `${2 * n + 1}` }]);
    return [start, end];
  });

  const ranges = (await Promise.all(publishes)).toSorted(([a], [b]) => Number(a) - Number(b));
  expect(ranges).toEqual(range(0, PUBLISHES).map((n) => [2 * n, 2 * n + 2]));
});
