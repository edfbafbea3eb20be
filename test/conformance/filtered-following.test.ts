/** Readers that wait for what their filter matches, and that follow it live. */
import { describe, expect, onTestFinished } from 'vitest';
import type { Offset } from '../../lib/core/log/ids.ts';
import type { LogStore } from '../../lib/ports/log-store.ts';
import { type Answer, createApi, type LocalApi } from '../support/api.ts';
import { inProcess } from '../support/api-test.ts';
import { batchOfSize, streamName } from '../support/batches.ts';
import { openEvents, type StreamEvent } from '../support/event-reader.ts';
import { publishAll, valued } from '../support/filter-steps.ts';
import { createLineReader } from '../support/line-reader.ts';
import { settle } from '../support/manual-clock.ts';
import { createStream, publish, STREAM } from '../support/publish-steps.ts';
import { offsetsOf, pageOf, type Query, range, read, trim } from '../support/read-steps.ts';

const localTest = inProcess('its hand on the clock');

/** An API, and from where each scan of its store began. */
function createWatched() {
  const scans: Offset[] = [];
  const wrapLog = (log: LogStore): LogStore => ({
    ...log,
    scanChunks: (scanned, filter) => {
      scans.push(scanned.from);
      return log.scanChunks(scanned, filter);
    },
  });
  const api = createApi({ wrapLog });
  onTestFinished(() => api.close());
  return { api, scans };
}

const values = (...given: readonly string[]) => given.map((value) => valued(value));
const bars = (count: number) => values(...range(0, count).map(() => 'bar'));

/** Ten messages, of which 2 and 7 match `foo`. */
async function prepare(api: LocalApi): Promise<void> {
  await createStream(api);
  await publishAll(api, values(...range(0, 10).map((n) => (n === 2 || n === 7 ? 'foo' : 'bar'))));
}

async function begin(api: LocalApi, query: Query) {
  let answered: Answer | undefined;
  const answer = read(api, query).then((given) => {
    answered = given;
    return given;
  });
  await settle();
  return { page: async () => pageOf(await answer), isAnswered: () => answered !== undefined };
}

describe('a read that waits', () => {
  localTest('LR1 F7: is answered by what matches alone, and passes over the rest', async () => {
    const { api, scans } = createWatched();
    await prepare(api);
    const waiting = await begin(api, { from: 10, filter: 'foo', wait: 20 });
    await publishAll(api, values('bar'));
    await settle();
    expect(waiting.isAnswered()).toBe(false);
    await publishAll(api, values('foo', 'bar'));

    const page = await waiting.page();
    expect(offsetsOf(page)).toEqual([11]);
    expect(page).toMatchObject({ next: 13, up_to_date: true, resolved: { offset: 10 } });
    expect(scans).toEqual([10, 11]);
    expect(api.clock.waiting()).toBe(0);
  });

  localTest(
    'LR1 O15: is empty at its deadline, and next lies behind what it saw',
    async ({ api }) => {
      await createStream(api);
      await publishAll(api, values('foo', 'bar', 'bar'));
      const waiting = await begin(api, { from: 3, filter: 'foo', wait: 2 });
      for (const _publish of range(0, 3)) await publishAll(api, values('bar'));
      await settle();
      await api.clock.advance(1_999);
      expect(waiting.isAnswered()).toBe(false);
      await api.clock.advance(1);

      expect(await waiting.page()).toMatchObject({
        messages: [],
        next: 6,
        tail: 6,
        up_to_date: true,
        resolved: { offset: 3 },
      });
    },
  );

  localTest('LR1 O16: is told of a gap behind what it had looked at', async ({ api }) => {
    await prepare(api);
    const waiting = await begin(api, { from: 8, filter: 'foo', wait: 20 });
    await publishAll(api, bars(2));
    await settle();
    expect(waiting.isAnswered()).toBe(false);
    // Straight into the store, which wakes nobody.
    await api.components.log.commit([
      { stream: streamName('s'), timeMs: api.clock.nowMs(), batch: batchOfSize(5, 1) },
    ]);
    await trim(api, 17);

    expect(await waiting.page()).toMatchObject({
      messages: [],
      next: 17,
      gap: { requested: 12, first_available: 17, missing: 5 },
      resolved: { offset: 8 },
    });
  });
});

describe('an event stream', () => {
  const ping = (id: string, next: number) => ({ id, event: 'ping', data: { next, tail: next } });

  localTest(
    'LR3 F7: covers what it passes over, and a resumed one does not look again',
    async () => {
      const { api, scans } = createWatched();
      await prepare(api);
      const events = await openEvents(api, { filter: 'foo' });
      const seen: StreamEvent[] = [...(await events.take(2))];
      expect(seen[0]).toMatchObject({
        event: 'batch',
        id: expect.stringMatching(/^9,2,/),
        data: { messages: [{ offset: 2 }, { offset: 7 }], next: 10, tail: 10 },
      });
      const bytes = seen[0]?.id?.split(',')[2];
      expect(seen[1]).toEqual(ping(`9,2,${bytes}`, 10));

      const next = events.next();
      await publishAll(api, bars(5));
      await settle();
      await api.clock.advance(1_000);
      seen.push((await next) ?? {});
      expect(seen[2]).toEqual(ping(`14,2,${bytes}`, 15));
      await events.cancel();

      scans.length = 0;
      const resumed = await openEvents(api, { filter: 'foo' }, seen[2]?.id);
      const rest = resumed.take(2);
      await settle();
      await publishAll(api, values('bar', 'foo'));
      seen.push(...(await rest));
      expect(seen.slice(3)).toEqual([
        ping(`14,2,${bytes}`, 15),
        expect.objectContaining({ event: 'batch', id: expect.stringMatching(/^16,3,/) }),
      ]);
      expect(Math.min(...scans)).toBe(15);
      expect(seen.every(({ id }) => /^-?[0-9]+,[0-9]+,[0-9]+$/.test(id ?? ''))).toBe(true);
    },
  );

  localTest('LR3: many publishes that do not match are one ping a second', async ({ api }) => {
    await createStream(api);
    const events = await openEvents(api, { filter: 'foo' });
    expect(await events.next()).toEqual(ping('-1,0,0', 0));
    const seen: unknown[] = [];
    const follow = (async () => {
      for (let event = await events.next(); event; event = await events.next()) seen.push(event);
    })();
    for (const second of range(0, 3)) {
      for (const _publish of range(0, 10)) {
        await publishAll(api, bars(1));
        await api.clock.advance(100);
      }
      expect(seen).toHaveLength(second + 1);
    }
    expect(seen).toEqual([9, 19, 29].map((n) => ping(`${n},0,0`, n + 1)));
    await api.clock.advance(14_999);
    expect(seen).toHaveLength(3);
    await api.clock.advance(1);
    expect(seen.at(-1)).toEqual(ping('29,0,0', 30));
    expect(seen).toHaveLength(4);
    await events.cancel();
    await follow;
  });

  localTest('LR3: [DONE] covers what was passed over behind the last message', async ({ api }) => {
    await prepare(api);
    const until = api.clock.nowMs() + 1;
    await api.clock.advance(1);
    await publishAll(api, values('foo'));
    const events = await (await openEvents(api, { filter: 'foo', from: 8, until })).rest();

    expect(events).toEqual([{ id: '9,0,0', data: '[DONE]' }]);
  });

  localTest('LR3 LR4: a limit counts what is given', async ({ api }) => {
    await prepare(api);
    const events = await (await openEvents(api, { filter: 'foo', limit: 2 })).rest();

    expect(events.map(({ id }) => id?.replace(/,[0-9]+$/, ''))).toEqual(['7,2', '7,2']);
    const resumed = await openEvents(api, { filter: 'foo', limit: 2 }, '4,1,5');
    expect((await resumed.rest()).map(({ id }) => id?.replace(/,[0-9]+$/, ''))).toEqual([
      '7,2',
      '7,2',
    ]);
  });

  localTest('LR3 O16: tells a gap, and what it passes over behind it', async ({ api }) => {
    await prepare(api);
    await api.call(`POST ${STREAM}/trim`, { body: { before: 8 } });
    const events = await openEvents(api, { filter: 'foo', from: 3 });

    expect(await events.take(2)).toEqual([
      { id: '7,0,0', event: 'gap', data: { requested: 3, first_available: 8, missing: 5 } },
      ping('9,0,0', 10),
    ]);
  });

  localTest('LR3: is fed by POST too, with a filter as JSON', async ({ api }) => {
    await prepare(api);
    const response = await api.open(`POST ${STREAM}/read`, {
      body: { as: 'sse', filter: { 'x-stream-filter': 'foo' }, limit: 2 },
    });

    expect(await response.text()).toContain('"offset":7');
  });
});

localTest('LR3: followed lines are those that match', async ({ api }) => {
  await prepare(api);
  const response = await api.open(`GET ${STREAM}/messages?follow=true&as=ndjson&filter=foo`);
  const lines = createLineReader(response);
  const offsetOf = (line: string | undefined) => JSON.parse(line ?? '')['offset'];
  expect([await lines.line(), await lines.line()].map(offsetOf)).toEqual([2, 7]);
  const next = lines.line();
  await publishAll(api, values('bar', 'bar', 'foo'));
  await settle();

  expect(offsetOf(await next)).toBe(12);
  await lines.cancel();
});

localTest('LR5: a follower that goes away while it looks on looks no further', async () => {
  const { api, scans } = createWatched();
  await createStream(api);
  const text = 'x'.repeat(1_000_000);
  for (const _publish of range(0, 20)) await publish(api, [{ text }, { text }]);
  const events = await openEvents(api, { from: 0, filter: 'foo' });
  const next = events.next().catch(() => undefined);
  while (scans.length < 3) await new Promise((resolve) => setImmediate(resolve));
  await events.cancel();
  await next;
  await settle();

  expect(scans.length).toBeLessThan(8);
  expect(api.clock.waiting()).toBe(0);
});
