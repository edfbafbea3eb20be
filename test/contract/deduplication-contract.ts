/** The contract of message deduplication: what a stream remembers of values, for how long, and of which it answers. */
import { describe, expect, test } from 'vitest';
import type { Deduplication } from '../../lib/core/log/deduplication.ts';
import type { Append } from '../../lib/ports/log-store.ts';
import { batchWith, idOf, publisherName } from '../support/batches.ts';
import {
  append,
  bodiesOf,
  createStream,
  publish,
  readAll,
  STREAM,
  STREAM_ID,
  type Subject,
} from './contract-steps.ts';
import { carrying, remembering } from './value-steps.ts';

const P = publisherName('p');
const named = (ids: readonly number[], rest: Partial<Append> = {}) => ({
  publisher: { name: P, ids },
  ...rest,
});
const STORED = { kind: 'stored', duplicates: 0 };

export function describeDeduplication({ ports, restart }: Subject): void {
  const kinds = async (...appends: readonly Append[]) =>
    (await publish(ports(), ...appends)).map(({ kind }) => kind);
  const bodies = async () => bodiesOf(await readAll(ports()));

  describe.each([128, 129])('values, with a cache of %i', (size) => {
    const create = (rest: Partial<Deduplication> = {}) =>
      createStream(ports(), remembering({ cache_size: size, ...rest }));

    test('M1 M3: first in, first out: a hit refreshes nothing, also after a restart', async () => {
      await create();
      const all = Array.from({ length: size + 1 }, (_, n) => `${n}`);
      await ports().log.commit(all.slice(0, 90).map((one) => carrying([one])));
      await ports().log.commit(all.slice(90).map((one) => carrying([one])));
      await restart();

      const again = ['1', `${size}`, '0', '1', `${size}`].map((one) => carrying([one]));
      expect(await kinds(...again)).toEqual([
        'duplicate',
        'duplicate',
        'stored',
        'stored',
        'duplicate',
      ]);
    });

    test('M3: what expires is stored again, and remembered anew', async () => {
      await create({ cache_ttl: 1_000 });
      const a = (timeMs: number) => carrying(['A'], { timeMs });

      expect(await kinds(a(1_000), a(1_999), a(2_000), a(2_999), a(3_000))).toEqual([
        'stored',
        'duplicate',
        'stored',
        'duplicate',
        'stored',
      ]);
    });

    test('M2: numbers and booleans are compared as they are written, objects and null never', async () => {
      await create();
      const [outcome] = await publish(
        ports(),
        carrying([
          1,
          '1',
          1.5,
          '1.5',
          true,
          'true',
          null,
          null,
          {},
          {},
          [],
          [],
          undefined,
          undefined,
        ]),
      );

      expect(outcome).toEqual({
        kind: 'stored',
        start: 0,
        end: 11,
        timeMs: 1_000,
        duplicates: 3,
        byValue: [1, 3, 5],
        opensSegment: true,
        streamId: STREAM_ID,
      });
    });

    test('M3 M7 P1: a request may be cut anywhere, its messages stay in a row', async () => {
      await create();
      const outcomes = await ports().log.commit([
        carrying(['A', 'B', 'A', 'C', 'B', 'D']),
        carrying([undefined, 'D', 'E']),
        carrying(['A', 'E']),
      ]);

      expect(outcomes).toMatchObject([
        { ...STORED, start: 0, end: 4, duplicates: 2, byValue: [2, 4] },
        { ...STORED, start: 4, end: 6, duplicates: 1, byValue: [1] },
        { kind: 'duplicate', duplicates: 2, byValue: [0, 1], next: 6 },
      ]);
      expect(await bodies()).toEqual(['A', 'B', 'C', 'D', 'm0', 'E']);
      const { bytes } = (await ports().log.tail(STREAM)) ?? {};
      const chunks = await readAll(ports());
      expect(bytes).toBe(chunks.reduce((sum, chunk) => sum + chunk.bytes, 0));
    });

    test('M5 D10 P4: what is refused records nothing', async () => {
      await create();

      expect(
        await kinds(
          carrying(['A'], { expectedOffset: 3 }),
          carrying(['A'], { fencingToken: 'x' }),
          carrying(['A']),
          carrying(['A']),
        ),
      ).toEqual(['reject', 'reject', 'stored', 'duplicate']);
    });

    test('P11 D2: an id that is known by its value has been heard, also when nothing is stored', async () => {
      await create();
      await publish(ports(), carrying(['A'], named([1])));
      const known = { kind: 'duplicate', duplicates: 2, next: 1, streamId: STREAM_ID };

      expect(await publish(ports(), carrying(['A', 'A'], named([2, 3])))).toEqual([
        { ...known, byValue: [0, 1] },
      ]);
      await restart();
      expect(await ports().log.publisher(STREAM_ID, P)).toMatchObject({ highestId: 3 });
      expect(await publish(ports(), carrying(['B', 'C'], named([2, 3])))).toEqual([known]);
      expect(
        await publish(
          ports(),
          carrying(['B', 'A', 'C'], named([3, 4, 5])),
          carrying(['D'], named([6])),
        ),
      ).toMatchObject([
        { ...STORED, start: 1, end: 2, duplicates: 2, byValue: [1] },
        { ...STORED, start: 2 },
      ]);
      expect(await bodies()).toEqual(['A', 'C', 'D']);
    });

    test('P11 P4: a value is looked at behind the publisher and the expected offset', async () => {
      await create();
      await publish(ports(), carrying(['A'], named([12])));

      expect(
        await publish(
          ports(),
          carrying(['B'], named([12], { expectedOffset: 9 })),
          carrying(['A'], named([13], { expectedOffset: 9 })),
          carrying(['A'], named([13], { expectedOffset: 1 })),
          carrying(['B'], named([14], { expectedOffset: 1 })),
        ),
      ).toMatchObject([
        { kind: 'duplicate', range: { start: 0, end: 1 } },
        { kind: 'reject', code: 'offset_mismatch', next: 1 },
        { kind: 'duplicate', byValue: [0] },
        { ...STORED, start: 1 },
      ]);
    });

    test('D5: the repeat of a request that was cut is told where its rest stands', async () => {
      await create();
      await publish(ports(), carrying(['A']), carrying(['B', 'A', 'C'], named([1, 2, 3])));
      await restart();

      expect(await publish(ports(), carrying(['B', 'A', 'C'], named([1, 2, 3])))).toEqual([
        {
          kind: 'duplicate',
          range: { start: 1, end: 3 },
          duplicates: 3,
          next: 3,
          streamId: STREAM_ID,
        },
      ]);
    });

    test('D5: a commit knows a publisher that its other request heard by value', async () => {
      await create();
      await publish(ports(), carrying(['A']));

      expect(
        await ports().log.commit([
          carrying(['A'], named([4])),
          carrying(['B'], named([5])),
          carrying(['A'], named([6])),
        ]),
      ).toMatchObject([
        { kind: 'duplicate', byValue: [0], next: 1 },
        { ...STORED, start: 1 },
        { kind: 'duplicate', byValue: [0], next: 2 },
      ]);
      expect(await ports().log.publisher(STREAM_ID, P)).toEqual({
        highestId: 6,
        latest: { firstId: 6, count: 1, start: 2, end: 2 },
      });
    });

    test('M5: purge keeps what is remembered', async () => {
      await create();
      await publish(ports(), carrying(['A']));
      await ports().log.trim(STREAM_ID, 'next');
      await restart();

      expect(await kinds(carrying(['A']), carrying(['B']))).toEqual(['duplicate', 'stored']);
    });

    test('T13: a stream created again remembers nothing', async () => {
      await create();
      await publish(ports(), carrying(['A']));
      await ports().catalog.remove(STREAM, STREAM_ID);
      const entry = { name: STREAM, streamId: idOf(2), createdMs: 1_000 };
      await ports().catalog.create({ ...entry, settings: remembering({ cache_size: size }) });

      expect(await kinds(carrying(['A']))).toEqual(['stored']);
    });

    test('M4: a message may say for how long; nonsense is refused with all of the request', async () => {
      await create({ cache_ttl: 12_000 });
      const saying = (ttl: unknown, timeMs: number) =>
        append(
          batchWith(['B', undefined], ['A', { 'x-deduplication-header': 'A', 'x-cache-ttl': ttl }]),
          {
            timeMs,
          },
        );
      const refused = {
        kind: 'reject',
        code: 'invalid_request',
        index: 1,
        field: 'headers.x-cache-ttl',
      };
      const wrong = ['abc', -1, 1.5, true, 0, '', null, {}, '1e3', 2 ** 53];

      for (const ttl of wrong) {
        expect(await publish(ports(), saying(ttl, 0))).toMatchObject([refused]);
      }
      expect(
        await publish(ports(), saying(10_000, 0), saying('5', 9_999), saying('5', 10_000)),
      ).toMatchObject([
        { ...STORED, start: 0, end: 2 },
        { ...STORED, start: 2, end: 3, duplicates: 1 },
        { ...STORED, start: 3, end: 5 },
      ]);
      expect(await kinds(carrying(['A'], { timeMs: 10_005 }))).toEqual(['stored']);
    });

    test('M2: without the setting, headers are headers', async () => {
      await createStream(ports());

      expect(
        await kinds(
          append(batchWith(['A', { 'x-deduplication-header': 'A', 'x-cache-ttl': 'abc' }])),
          carrying(['A', 'A']),
        ),
      ).toEqual(['stored', 'stored']);
    });

    test('M2: another header is another value, and an old one is not forgotten', async () => {
      await create();
      await publish(ports(), carrying(['A']));
      const change = (header: string, expected: number) =>
        ports().catalog.saveSettings(STREAM_ID, {
          settings: remembering({ cache_size: size, header }),
          expected,
        });
      const other = append(batchWith(['a', { other: 'A', 'x-deduplication-header': 'A' }]));

      expect(await change('other', 1)).toBe(true);
      expect(await kinds(other, other)).toEqual(['stored', 'duplicate']);
      expect(await change('x-deduplication-header', 2)).toBe(true);
      expect(await kinds(other)).toEqual(['duplicate']);
    });
  });
}
