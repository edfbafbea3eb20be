/** When a publish opens the next segment, as the number of segments shows. */
import { describe, expect } from 'vitest';
import type { Api } from '../support/api.ts';
import { inProcess, test } from '../support/api-test.ts';
import { createStream, publish, STREAM, texts } from '../support/publish-steps.ts';
import { offsetsOf, range, readPage, trim } from '../support/read-steps.ts';

const localTest = inProcess('its hand on the clock');

const DAY_MS = 86_400_000;

async function publishBytes(api: Api, ...sizes: readonly number[]): Promise<void> {
  for (const bytes of sizes) await publish(api, texts('x'.repeat(bytes)));
}

async function segments(api: Api): Promise<unknown> {
  return (await api.call(`GET ${STREAM}`)).json()['segments'];
}

/** How many segments there are after each step. */
async function segmentsAfter(api: Api, steps: readonly (() => Promise<unknown>)[]) {
  const counts: unknown[] = [];
  for (const step of steps) {
    await step();
    counts.push(await segments(api));
  }
  return counts;
}

describe('segment_max_bytes of 1000', () => {
  test.for<[number, readonly number[]]>([
    [400, [1, 1, 1, 2, 2, 2, 3]],
    [500, [1, 1, 2, 2, 3]],
    [999, [1, 1, 2, 2]],
    [1_000, [1, 2, 3]],
    [5_000, [1, 2, 3]],
  ])('T6: requests of %d bytes', async ([bytes, counts], { api }) => {
    await createStream(api, { segment_max_bytes: 1_000 });

    expect(
      await segmentsAfter(
        api,
        counts.map(() => () => publishBytes(api, bytes)),
      ),
    ).toEqual(counts);
    expect(offsetsOf(await readPage(api))).toEqual(range(0, counts.length));
  });

  test('T6 P1: a request is never split', async ({ api }) => {
    await createStream(api, { segment_max_bytes: 1_000 });
    await publishBytes(api, 400);
    await publish(api, texts(...range(0, 10).map(() => 'x'.repeat(500))));

    expect(await segments(api)).toBe(1);
    await publishBytes(api, 1);
    expect(await segments(api)).toBe(2);
    // The first segment is 0–10: what is left of it after a trim still counts whole.
    await trim(api, 10);
    expect(await segments(api)).toBe(2);
    await trim(api, 11);
    expect(await segments(api)).toBe(1);
  });
});

describe('segment_max_age', () => {
  localTest.for<[string, object, number]>([
    ['of 10s', { segment_max_age: '10s' }, 10_000],
    ['of 500 ms', { segment_max_age: 500 }, 500],
    ['by default', {}, DAY_MS],
  ])(
    'T6: %s opens one behind a first message that is older',
    async ([, settings, ageMs], { api }) => {
      await createStream(api, settings);

      expect(
        await segmentsAfter(api, [
          () => publishBytes(api, 1),
          () => api.clock.advance(ageMs).then(() => publishBytes(api, 1)),
          () => api.clock.advance(1),
          () => publishBytes(api, 1),
          () => api.clock.advance(ageMs).then(() => publishBytes(api, 1)),
          () => api.clock.advance(1).then(() => publishBytes(api, 1)),
        ]),
      ).toEqual([1, 1, 1, 2, 2, 3]);
    },
  );

  localTest('T6 O18: a clock that was set back makes nothing older', async ({ api }) => {
    await createStream(api, { segment_max_age: '10s' });
    await publishBytes(api, 1);
    const start = api.clock.nowMs();
    api.clock.set(start - DAY_MS);
    await publishBytes(api, 1);
    expect(await segments(api)).toBe(1);

    api.clock.set(start + 10_001);
    await publishBytes(api, 1);
    expect(await segments(api)).toBe(2);
  });
});

describe('a change of the settings', () => {
  test('T6: governs the next opening and leaves what is there as it is', async ({ api }) => {
    await createStream(api);
    await publishBytes(api, 600, 600, 600);
    const changed = await api.call(`PATCH ${STREAM}`, { body: { segment_max_bytes: 1_000 } });

    expect(changed.json()).toMatchObject({
      segments: 1,
      effective_settings: { segment_max_bytes: { value: 1_000, source: 'argument' } },
    });
    const once = () => publishBytes(api, 600);
    expect(await segmentsAfter(api, [once, once, once])).toEqual([2, 2, 3]);

    await api.call(`PATCH ${STREAM}`, { body: { segment_max_bytes: 5_000 } });
    expect(await segments(api)).toBe(3);
    expect(await segmentsAfter(api, [once, once, once])).toEqual([3, 3, 3]);
    await trim(api, 3);
    expect(await segments(api)).toBe(2);
  });

  localTest('T6: of the age opens one at once', async ({ api }) => {
    await createStream(api);
    await publishBytes(api, 1);
    await api.clock.advance(2_000);
    await publishBytes(api, 1);
    expect(await segments(api)).toBe(1);

    await api.call(`PATCH ${STREAM}`, { body: { segment_max_age: '1s' } });
    await publishBytes(api, 1);
    expect(await segments(api)).toBe(2);
  });
});
